import type { FrameClaim, FrameHit, FrameOrder, FrameQuestion } from '../lib/frameMessages';
import type { PreviewPorts } from './preview.svelte';

/** A question without its number. */
export type Asked = FrameQuestion extends infer Question ? (Question extends { id: number } ? Omit<Question, 'id'> : never) : never;

/** A page whose script is at work answers late, and one that broke our half of its world never does. */
const PATIENCE_MS = 3_000;

/** Puts questions to a frame and gives each its own answer. */
export class FrameQuestions {
  #asked = 0;
  #waiting = new Map<number, (hit: FrameHit | undefined) => void>();

  constructor(private readonly ports: Pick<PreviewPorts, 'after'>) {}

  ask(post: (order: FrameOrder) => void, question: Asked): Promise<FrameHit | undefined> {
    this.#asked += 1;
    const id = this.#asked;
    return new Promise((resolve) => {
      const giveUp = this.ports.after(PATIENCE_MS, () => this.#settle(id, undefined));
      this.#waiting.set(id, (hit) => {
        giveUp();
        resolve(hit);
      });
      post({ ...question, id });
    });
  }

  answer({ id, hit }: Extract<FrameClaim, { k: 'pick' }>): void {
    this.#settle(id, hit);
  }

  #settle(id: number, hit: FrameHit | undefined): void {
    this.#waiting.get(id)?.(hit);
    this.#waiting.delete(id);
  }
}
