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
  /** Another version is open than before. */
  onmove(): void;
  onfail(error: HostError): void;
}

/** Two versions and what differs between them, once it is known. */
export interface Comparison {
  from: string;
  to: string;
  files?: readonly FileDifference[];
}

/** The versions of a project, the way through them, and what is looked at in the tree. */
export class HistoryController {
  versions = $state.raw<readonly VersionSummary[]>([]);
  standing = $state.raw<Standing>({ undoable: 0, redoable: 0 });
  comparison = $state.raw<Comparison | undefined>();
  /** What was undone or done again, for those who do not see it. */
  announcement = $state('');
  isMoving = $state(false);
  #chosen = $state<string | undefined>();

  readonly tree = $derived(treeOf(this.versions));
  readonly path = $derived(pathTo(this.tree, this.standing.open));
  readonly open = $derived(this.find(this.standing.open));
  /** The version that the tree's details are of. */
  readonly chosen = $derived(this.find(this.#chosen) ?? this.open ?? this.versions.at(-1));

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

  /** A version was measured. */
  hearScore(runId: string, variantIndex: number, score: number): void {
    const scored = this.madeBy(runId, variantIndex);
    if (scored) this.versions = this.versions.map((version) => (version === scored ? { ...version, score } : version));
  }

  choose(id: string): void {
    this.#chosen = id;
  }

  async load(): Promise<void> {
    await this.#attempt(() => this.#refresh());
  }

  async undo(): Promise<void> {
    await this.#walk('history.undone', this.standing.undoable, () => this.host.undo(this.projectId));
  }

  async redo(): Promise<void> {
    await this.#walk('history.redone', this.standing.redoable, () => this.host.redo(this.projectId));
  }

  /** Opens a version; what comes next goes on from it. */
  async goTo(id: string): Promise<boolean> {
    if (id === this.standing.open) return true;
    const done = await this.#move(async () => {
      this.standing = await this.host.openVersion(this.projectId, id);
    });
    if (done) this.announcement = say('history.opened', { name: versionName(this.open) });
    return done;
  }

  /** Adds a version like an older one and gives it; `undefined` if it was open already. */
  async restore(id: string): Promise<VersionSummary | undefined> {
    let restored: VersionSummary | undefined;
    const before = this.standing.open;
    await this.#move(async () => {
      const { versionId } = await this.host.restoreVersion(this.projectId, id);
      await this.#refresh();
      if (versionId !== before) restored = this.find(versionId);
      this.#chosen = versionId;
    });
    return restored;
  }

  async name(id: string, name: string): Promise<void> {
    await this.#attempt(async () => {
      await this.host.nameVersion(this.projectId, id, name);
      await this.#refresh();
    });
  }

  async compare(from: string, to: string): Promise<void> {
    this.comparison = { from, to };
    await this.#attempt(async () => {
      const files = await this.host.compareVersions(this.projectId, from, to);
      // An older answer must not stand under newer names.
      if (this.comparison?.from === from && this.comparison.to === to) this.comparison = { from, to, files };
    });
  }

  closeComparison(): void {
    this.comparison = undefined;
  }

  async #refresh(): Promise<void> {
    const { versions, standing } = await this.host.history(this.projectId);
    this.versions = versions;
    this.standing = standing;
  }

  async #walk(words: 'history.undone' | 'history.redone', steps: number, act: () => Promise<Standing>): Promise<void> {
    if (steps === 0) return;
    const left = this.open;
    const done = await this.#move(async () => {
      this.standing = await act();
      if (this.standing.open !== undefined && !this.open) await this.#refresh();
    });
    if (!done) return;
    const what = words === 'history.undone' ? left : this.open;
    this.announcement = say(words, { what: changeName(what), open: versionName(this.open) });
    if (this.standing.open !== undefined) this.#chosen = this.standing.open;
  }

  async #move(act: () => Promise<void>): Promise<boolean> {
    if (this.isMoving) return false;
    this.isMoving = true;
    const before = this.standing.open;
    const done = await this.#attempt(act);
    this.isMoving = false;
    if (this.standing.open !== before) this.ports.onmove();
    return done;
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
