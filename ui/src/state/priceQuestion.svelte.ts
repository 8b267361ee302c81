import type { EngineChoice } from '../ipc/types';

/** Asks once per model and project before a run whose cost no cap can hold. */
export class PriceQuestion {
  /** The engines that are asked about now. */
  engines = $state.raw<readonly EngineChoice[]>([]);
  #accepted = new Set<string>();
  #answer: ((isYes: boolean) => void) | undefined;

  /** Whether the run may start. `project` is none for a project that does not exist yet. */
  async allows(project: string | undefined, unpriced: readonly EngineChoice[]): Promise<boolean> {
    const news = unpriced.filter((engine) => project === undefined || !this.#accepted.has(`${project} ${engine.id}`));
    if (news.length === 0) return true;
    this.answer(false);
    this.engines = [...new Map(news.map((engine) => [engine.id, engine])).values()];
    return new Promise((resolve) => (this.#answer = resolve));
  }

  answer(isYes: boolean): void {
    this.engines = [];
    this.#answer?.(isYes);
    this.#answer = undefined;
  }

  /** Remembers what was accepted for a project. */
  accept(project: string, unpriced: readonly Pick<EngineChoice, 'id'>[]): void {
    for (const engine of unpriced) this.#accepted.add(`${project} ${engine.id}`);
  }
}
