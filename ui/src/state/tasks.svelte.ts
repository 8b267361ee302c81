import { SvelteMap } from 'svelte/reactivity';
import { hostError, type HostError } from '../ipc/error';
import type { Host } from '../ipc/host';
import type { TaskView } from '../ipc/types';
import type { FileText } from './runReducer';

/** Whether a task goes on or waits for its turn. */
export const isOpen = ({ state }: { state: string }): boolean => state === 'queued' || state === 'running';

/** Whether files name what a task makes. */
export function isUsedBy({ results }: TaskView, files: Readonly<Record<string, FileText>>): boolean {
  const texts = Object.values(files).map(({ text }) => text);
  return results.some(({ path }) => texts.some((text) => text.includes(path)));
}

/** The key of an option among the costs. */
export const costKey = (runId: string, option: number): string => `${runId}/${option}`;

/** The long jobs of one project, each on its card; a second try takes the place of the first. */
export class TaskCards {
  /** By place. */
  readonly cards = new SvelteMap<string, TaskView>();
  /** What options that ended have cost by now, where jobs of theirs tell, by run and option. */
  readonly costs = new SvelteMap<string, number | null>();
  /** The cards whose button was pressed and not answered yet. */
  readonly asked = new SvelteMap<string, true>();
  readonly open = $derived([...this.cards.values()].filter(isOpen));
  readonly done = $derived([...this.cards.values()].filter(({ state }) => state === 'succeeded'));

  constructor(
    private readonly host: Pick<Host, 'listTasks' | 'cancelTask' | 'retryTask'>,
    private readonly projectId: string,
    private readonly onfail: (error: HostError) => void,
  ) {}

  /** The card of a task, or of the try that took its place. */
  cardOf(id: string): TaskView | undefined {
    return this.cards.get(id) ?? [...this.cards.values()].find((card) => card.id === id);
  }

  /** Takes what is kept of the project's tasks. */
  async load(): Promise<void> {
    await this.#attempt(undefined, async () => {
      for (const card of await this.host.listTasks(this.projectId)) this.hear(card);
    });
  }

  /** Takes a card unless what is known is newer; says whether it did. */
  hear(card: TaskView): boolean {
    if (card.projectId !== this.projectId) return false;
    this.#hearCost(card);
    const held = this.cards.get(card.place);
    // Ids carry their time: a later try has a higher one.
    const isOld = held !== undefined && (held.id > card.id || (held.id === card.id && !isOpen(held) && isOpen(card)));
    if (!isOld) this.cards.set(card.place, card);
    return !isOld;
  }

  /** What was spent is never given back, so the higher sum is the newer one. */
  #hearCost({ runId, variantIndex, optionCost }: TaskView): void {
    if (runId === undefined || variantIndex === undefined || optionCost === undefined) return;
    const key = costKey(runId, variantIndex);
    const held = this.costs.get(key);
    const usd = held === null || optionCost.usd === null ? null : Math.max(held ?? 0, optionCost.usd);
    if (usd !== held) this.costs.set(key, usd);
  }

  async cancel(card: TaskView): Promise<void> {
    await this.#attempt(card.place, () => this.host.cancelTask(this.projectId, card.id));
  }

  async retry(card: TaskView): Promise<void> {
    await this.#attempt(card.place, async () => {
      this.hear(await this.host.retryTask(this.projectId, card.id));
    });
  }

  async #attempt(place: string | undefined, act: () => Promise<void>): Promise<void> {
    if (place !== undefined) {
      if (this.asked.has(place)) return;
      this.asked.set(place, true);
    }
    try {
      await act();
    } catch (cause) {
      this.onfail(hostError(cause));
    } finally {
      if (place !== undefined) this.asked.delete(place);
    }
  }
}
