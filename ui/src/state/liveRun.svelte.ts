import type { Host } from '../ipc/host';
import type { RunEvent, RunSummary } from '../ipc/types';
import { isLive } from '../lib/status';
import { foldRunEvent, foldSnapshot, unheardRun, type RunState } from './runReducer';

/** One run as the window knows it: its request and its folded events. */
export class LiveRun {
  summary = $state.raw<RunSummary>() as RunSummary;
  run = $state.raw<RunState>() as RunState;
  #waiting: RunEvent[] | undefined;

  constructor(
    private readonly host: Pick<Host, 'runSnapshot'>,
    summary: RunSummary,
  ) {
    this.summary = summary;
    this.run = unheardRun(summary.id);
  }

  get id(): string {
    return this.summary.id;
  }

  /** Folds a live event; asks for the snapshot when one is missing. */
  hear(event: RunEvent, heardAtMs: number): void {
    if (this.#waiting) {
      this.#waiting.push(event);
      return;
    }
    const folded = foldRunEvent(this.run, event, heardAtMs);
    if (folded.kind === 'folded') this.run = folded.run;
    else if (folded.kind === 'gap') {
      this.#waiting = [event];
      void this.#resync();
    }
  }

  /** Takes the snapshot and what arrives meanwhile. */
  async load(): Promise<void> {
    this.#waiting ??= [];
    await this.#resync();
  }

  async #resync(): Promise<void> {
    try {
      const snapshot = await this.host.runSnapshot(this.id);
      const known = this.run;
      const whole = foldSnapshot(snapshot);
      // Times were only heard live: keep those of the rows that are known.
      if (whole.seq >= known.seq) this.run = withTimes(whole, known, Date.now());
    } catch {
      // The next event that does not fit asks again.
    }
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const event of waiting) {
      if (event.seq <= this.run.seq + 1) this.hear(event, Date.now());
    }
  }
}

function withTimes(run: RunState, known: RunState, nowMs: number): RunState {
  const variants = run.variants.map((told) => {
    // A snapshot speaks of the present: the clock of what is at work goes on from here.
    const variant = isLive(told.state) ? { ...told, heardAtMs: nowMs } : told;
    const rows = known.variants.find((other) => other.index === variant.index)?.rows;
    if (!rows) return variant;
    const byId = new Map(rows.map((row) => [row.id, row]));
    return {
      ...variant,
      rows: variant.rows.map((row) => {
        const old = byId.get(row.id);
        return old ? { ...row, startedAtMs: old.startedAtMs, endedAtMs: old.endedAtMs } : row;
      }),
    };
  });
  return { ...run, variants };
}
