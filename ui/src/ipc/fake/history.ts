import { isLive } from '../../lib/status';
import type { Host } from '../host';
import type { History, Standing, VersionSummary } from '../types';
import type { Player } from './player';

/** A run as far as its versions go. */
export interface PastRun {
  id: string;
  text: string;
  startedAtMs: number;
  engines: string[];
  player: Player;
  thumbnail: string | undefined;
}

interface Way {
  versions: VersionSummary[];
  steps: string[];
  at: number;
  turns: Map<string, string>;
}

type HistoryAnswers = Pick<
  Host,
  'history' | 'versionFiles' | 'openVersion' | 'restoreVersion' | 'undo' | 'redo' | 'compareVersions' | 'nameVersion'
>;

const SCORES: Record<string, number> = { 'shop-a': 79, 'shop-b': 74 };

/** The histories of the scripted host: what its runs made, and what a test does with it. */
export class FakeHistory {
  readonly #ways = new Map<string, Way>();
  readonly #edited = new Map<string, Record<string, string>>();
  /** The option that wrote the files of a version. */
  readonly #sources = new Map<string, { run: PastRun; index: number }>();

  constructor(
    private readonly runsOf: (projectId: string) => PastRun[],
    private readonly many: number,
    /** Whether pages still have to be looked at: until then they have neither picture nor score. */
    public isUnseen: boolean,
  ) {}

  /** Where the page of a version comes from. */
  sourceOf(versionId: string): { runId: string; variantIndex: number } {
    const source = this.#source(versionId);
    return { runId: source.run.id, variantIndex: source.index };
  }

  /** The text of a page of a version. */
  textOf(versionId: string, path: string): string {
    return this.#files(versionId)[path] ?? '';
  }

  openOf(projectId: string): string {
    return this.#standing(projectId).open ?? '';
  }

  standingOf(projectId: string): Standing {
    return this.#standing(projectId);
  }

  isEdited(versionId: string): boolean {
    return this.#edited.has(versionId);
  }

  /** Keeps the open version's files with another text of one, as something that was done by hand. */
  edit(projectId: string, path: string, text: string): string {
    const way = this.#way(projectId);
    const parent = this.openOf(projectId);
    const id = `version-${projectId}-${way.versions.length + 1}`;
    this.#sources.set(id, this.#source(parent));
    this.#edited.set(id, { ...this.#files(parent), [path]: text });
    const thumbnail = way.versions.find((version) => version.id === parent)?.thumbnail;
    way.versions.push({ id, number: way.versions.length + 1, parent, label: '', isDraft: false, instruction: '', changed: [path], createdAtMs: Date.now(), thumbnail });
    this.#step(projectId, id);
    return id;
  }

  /** Notes the turn that a run tries again, and the version it goes on from. */
  begin(projectId: string, runId: string, retryOf: string | undefined): void {
    const { turns } = this.#way(projectId);
    turns.set(runId, (retryOf !== undefined && turns.get(retryOf)) || runId);
  }

  readonly answers: HistoryAnswers = {
    history: async (projectId) => {
      const { versions, standing } = this.#history(projectId);
      return { versions: this.isUnseen ? versions.map((version) => ({ ...version, thumbnail: undefined, score: undefined })) : versions, standing };
    },
    versionFiles: async (_projectId, versionId) => this.#files(versionId),
    openVersion: async (projectId, versionId) => {
      this.#step(projectId, versionId);
      return this.#standing(projectId);
    },
    restoreVersion: async (projectId, versionId) => {
      const way = this.#way(projectId);
      const open = way.steps[way.at - 1];
      const old = way.versions.find((version) => version.id === versionId);
      if (!old) throw { code: 'not_found', message: 'That version does not exist.' };
      if (open === versionId || way.versions.find(({ id }) => id === open)?.sameAs === versionId) {
        return { versionId: open ?? versionId, standing: this.#standing(projectId) };
      }
      const id = `version-${projectId}-${way.versions.length + 1}`;
      this.#sources.set(id, this.#source(versionId));
      const { label, score, thumbnail } = old;
      way.versions.push({ id, number: way.versions.length + 1, parent: open, label, isDraft: false, instruction: '', sameAs: versionId, changed: ['index.html'], score, createdAtMs: Date.now(), thumbnail });
      this.#step(projectId, id);
      return { versionId: id, standing: this.#standing(projectId) };
    },
    undo: async (projectId) => this.#walk(projectId, -1),
    redo: async (projectId) => this.#walk(projectId, 1),
    compareVersions: async (_projectId, from, to) => {
      const [old, next] = [this.#files(from), this.#files(to)];
      return Object.keys(next)
        .filter((path) => old[path] !== next[path])
        .map((path) => ({ path, diff: wholeDiff(path, old[path] ?? '', next[path] ?? '') }));
    },
    nameVersion: async (projectId, versionId, name) => {
      const way = this.#way(projectId);
      way.versions = way.versions.map((version) => (version.id === versionId ? { ...version, label: name } : version));
    },
  };

  #history(projectId: string): History {
    const way = this.#way(projectId);
    for (const run of this.runsOf(projectId)) {
      if (isLive(run.player.state) || way.versions.some(({ madeBy }) => madeBy?.runId === run.id)) continue;
      const parent = way.steps[way.at - 1];
      const before = way.versions.length;
      run.engines.forEach((engine, index) => this.#add(way, projectId, run, engine, index, parent));
      const first = way.versions[before];
      if (first) this.#step(projectId, first.id);
    }
    const root = way.versions[0];
    for (let n = way.versions.length; root && n < this.many; n += 1) {
      const parent = way.versions[Math.floor(n * 0.9)] ?? root;
      const id = `version-${projectId}-${n + 1}`;
      this.#sources.set(id, this.#source(root.id));
      way.versions.push({ ...root, id, number: n + 1, parent: parent.id, turn: undefined, madeBy: undefined, sameAs: undefined });
    }
    return { versions: [...way.versions], standing: this.#standing(projectId) };
  }

  #add(way: Way, projectId: string, run: PastRun, engine: string, index: number, parent: string | undefined): void {
    if (![...run.player.texts.keys()].some((path) => path.startsWith(`${index}/`))) return;
    const number = way.versions.length + 1;
    const id = `version-${projectId}-${number}`;
    const turn = way.turns.get(run.id) ?? run.id;
    const origin = turn === run.id ? parent : way.versions.find((version) => version.turn === turn)?.parent;
    const score = SCORES[Object.values(run.player.scenario.pages[index] ?? {})[0] ?? ''];
    this.#sources.set(id, { run, index });
    way.versions.push({
      id,
      number,
      parent: origin,
      label: '',
      isDraft: run.player.state === 'interrupted',
      turn,
      instruction: run.text,
      madeBy: { runId: run.id, variantIndex: index, engine, state: run.player.state, rounds: 2, elapsedMs: 21_000, costUsd: engine === 'offline' ? 0 : 0.21 },
      changed: ['index.html'],
      score,
      createdAtMs: run.startedAtMs,
      thumbnail: run.thumbnail,
    });
  }

  #step(projectId: string, versionId: string): void {
    const way = this.#way(projectId);
    if (way.steps[way.at - 1] === versionId) return;
    way.steps.length = way.at;
    way.steps.push(versionId);
    way.at += 1;
  }

  #walk(projectId: string, by: 1 | -1): Standing {
    const way = this.#way(projectId);
    way.at = Math.min(Math.max(way.at + by, Math.min(1, way.steps.length)), way.steps.length);
    return this.#standing(projectId);
  }

  #standing(projectId: string): Standing {
    const { steps, at } = this.#way(projectId);
    return { open: steps[at - 1], undoable: Math.max(0, at - 1), redoable: steps.length - at };
  }

  #way(projectId: string): Way {
    const known = this.#ways.get(projectId);
    if (known) return known;
    const fresh: Way = { versions: [], steps: [], at: 0, turns: new Map() };
    this.#ways.set(projectId, fresh);
    return fresh;
  }

  #source(versionId: string) {
    const source = this.#sources.get(versionId);
    if (!source) throw { code: 'not_found', message: 'That version does not exist.' };
    return source;
  }

  #files(versionId: string): Record<string, string> {
    const edited = this.#edited.get(versionId);
    if (edited) return edited;
    const { run, index } = this.#source(versionId);
    const own = [...run.player.texts].filter(([path]) => path.startsWith(`${index}/`));
    return Object.fromEntries(own.map(([path, text]) => [path.slice(`${index}/`.length), text]));
  }
}

/** A diff that takes every line out and puts every line in: enough to look at. */
function wholeDiff(path: string, old: string, next: string): string {
  const signed = (sign: string, text: string) => text.split('\n').map((line) => `${sign}${line}`);
  return [`--- ${path}`, `+++ ${path}`, '@@ -1 +1 @@', ...signed('-', old), ...signed('+', next)].join('\n');
}
