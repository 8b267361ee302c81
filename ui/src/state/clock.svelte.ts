const TICK_MS = 500;

/** The present, ticking twice a second while something needs it. */
class Clock {
  nowMs = $state(Date.now());
  #users = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  /** Ticks until the returned function is called. */
  watch(): () => void {
    this.#users += 1;
    this.nowMs = Date.now();
    this.#timer ??= setInterval(() => (this.nowMs = Date.now()), TICK_MS);
    return () => {
      this.#users -= 1;
      if (this.#users > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }
}

export const clock = new Clock();

/** A duration that was `elapsedMs` when heard and has gone on since. */
export const goneOn = (elapsedMs: number, heardAtMs: number | undefined, nowMs: number): number =>
  heardAtMs === undefined ? elapsedMs : elapsedMs + Math.max(0, nowMs - heardAtMs);
