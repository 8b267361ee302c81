import { hostError, type HostError } from '../ipc/error';
import type { Host } from '../ipc/host';
import type { FileDifference, Standing, VersionSummary } from '../ipc/types';
import { pathTo, treeOf } from './historyTree';
import { say } from './words.svelte';

type HistoryHost = Pick<
  Host,
  'history' | 'openVersion' | 'restoreVersion' | 'undo' | 'redo' | 'compareVersions' | 'nameVersion'
>;

export interface HistoryPorts {
  /** The version that is seen; it need not be the open one. */
  seen(): VersionSummary | undefined;
  /** Another version is open than before. */
  onmove(): void;
  onfail(error: HostError): void;
}

/** Two versions and what differs between them, once it is known. */
export interface Comparison {
  from: string;
  to: string;
  files?: readonly FileDifference[];
  /** Why it is not known. */
  fault?: HostError;
}

/** The versions of a project, the way through them, and what is looked at in the tree. */
export class HistoryController {
  versions = $state.raw<readonly VersionSummary[]>([]);
  standing = $state.raw<Standing>({ undoable: 0, redoable: 0 });
  comparison = $state.raw<Comparison | undefined>();
  /** What was undone or done again, for those who do not see it. */
  announcement = $state('');
  #chosen = $state<string | undefined>();
  /** The last question that was put to the host. */
  #last: Promise<unknown> = Promise.resolve();

  readonly tree = $derived(treeOf(this.versions));
  readonly open = $derived(this.find(this.standing.open));
  /** The version that what comes next goes on from: the one that is seen. */
  readonly here = $derived.by(() => this.ports.seen() ?? this.open);
  readonly path = $derived(pathTo(this.tree, this.here?.id));
  /** The version that the tree's details are of. */
  readonly chosen = $derived(this.find(this.#chosen) ?? this.here ?? this.versions.at(-1));

  constructor(
    private readonly host: HistoryHost,
    private readonly projectId: string,
    private readonly ports: HistoryPorts,
  ) {}

  find(id: string | undefined): VersionSummary | undefined {
    return id === undefined ? undefined : this.tree.byId.get(id)?.version;
  }

  /** The version that an option of a run ended with. */
  madeBy(runId: string, variantIndex: number): VersionSummary | undefined {
    return this.versions.find(({ madeBy }) => madeBy?.runId === runId && madeBy.variantIndex === variantIndex);
  }

  choose(id: string): void {
    this.#chosen = id;
  }

  async load(): Promise<void> {
    await this.#inTurn(() => this.#attempt(() => this.#refresh()));
  }

  async undo(): Promise<void> {
    await this.#walk('history.undone', 'undoable', () => this.host.undo(this.projectId));
  }

  async redo(): Promise<void> {
    await this.#walk('history.redone', 'redoable', () => this.host.redo(this.projectId));
  }

  /** Opens a version; what comes next goes on from it. */
  async goTo(id: string): Promise<boolean> {
    return this.#move(async () => {
      if (id === this.standing.open) return;
      this.standing = await this.host.openVersion(this.projectId, id);
      this.announcement = say('history.opened', { name: versionName(this.open) });
    });
  }

  /** Adds a version like an older one and gives it; `undefined` if it was open already. */
  async restore(id: string): Promise<VersionSummary | undefined> {
    let restored: VersionSummary | undefined;
    await this.#move(async () => {
      const before = this.standing.open;
      const { versionId } = await this.host.restoreVersion(this.projectId, id);
      await this.#refresh();
      if (versionId !== before) restored = this.find(versionId);
      this.#chosen = versionId;
    });
    return restored;
  }

  /** Does what makes another version the open one. */
  async edit(act: () => Promise<void>): Promise<boolean> {
    return this.#inTurn(async () => {
      const before = this.standing.open;
      try {
        await act();
      } catch {
        // Whoever asked says why.
        return false;
      }
      const isKnown = await this.#attempt(() => this.#refresh());
      if (this.standing.open !== before) this.ports.onmove();
      return isKnown;
    });
  }

  async name(id: string, name: string): Promise<void> {
    await this.#inTurn(() =>
      this.#attempt(async () => {
        await this.host.nameVersion(this.projectId, id, name);
        await this.#refresh();
      }),
    );
  }

  async compare(from: string, to: string): Promise<void> {
    const asked: Comparison = { from, to };
    this.comparison = asked;
    const answer = await this.host.compareVersions(this.projectId, from, to).then(
      (files): Comparison => ({ from, to, files }),
      (cause: unknown): Comparison => ({ from, to, fault: hostError(cause) }),
    );
    // An older answer must not stand in the place of a newer question.
    if (this.comparison === asked) this.comparison = answer;
  }

  closeComparison(): void {
    this.comparison = undefined;
  }

  async #refresh(): Promise<void> {
    const { versions, standing } = await this.host.history(this.projectId);
    this.versions = versions;
    this.standing = standing;
  }

  async #walk(words: 'history.undone' | 'history.redone', way: 'undoable' | 'redoable', act: () => Promise<Standing>): Promise<void> {
    await this.#move(async () => {
      if (this.standing[way] === 0) return;
      const left = this.open;
      this.standing = await act();
      if (this.standing.open !== undefined && !this.open) await this.#refresh();
      const what = words === 'history.undone' ? left : this.open;
      this.announcement = say(words, { what: changeName(what), open: versionName(this.open) });
      if (this.standing.open !== undefined) this.#chosen = this.standing.open;
    });
  }

  async #move(act: () => Promise<void>): Promise<boolean> {
    return this.#inTurn(async () => {
      const before = this.standing.open;
      const done = await this.#attempt(act);
      if (this.standing.open !== before) this.ports.onmove();
      return done;
    });
  }

  /** One question after the other: no answer tells of an older way than the one before it. */
  #inTurn<T>(ask: () => Promise<T>): Promise<T> {
    const answered = this.#last.then(ask);
    this.#last = answered.catch(() => undefined);
    return answered;
  }

  async #attempt(act: () => Promise<void>): Promise<boolean> {
    try {
      await act();
      return true;
    } catch (cause) {
      this.ports.onfail(hostError(cause));
      return false;
    }
  }
}

/** What a version is called. */
export function versionName(version: VersionSummary | undefined): string {
  if (!version) return '';
  return version.label || say(version.isDraft ? 'history.draft' : 'history.version', { n: version.number });
}

/** What led to a version, in a few words: its instruction, or what it is. */
export function changeName(version: VersionSummary | undefined): string {
  return version?.instruction ? say('history.quote', { text: version.instruction }) : versionName(version);
}
