import type { PreviewPiece } from '../ipc/types';

/** `replaced` asks the frame to begin anew, `gap` asks for the whole text. */
export type Taken = 'appended' | 'replaced' | 'known' | 'gap';

/** The annotated text of one page as the window holds it; lengths are UTF-16 units. */
export class PageText {
  text = '';
  #waiting: PreviewPiece[] | undefined;

  take(piece: Pick<PreviewPiece, 'base' | 'text'> & Partial<PreviewPiece>): Taken {
    if (this.#waiting) {
      this.#waiting.push(piece as PreviewPiece);
      return 'known';
    }
    return this.#apply(piece);
  }

  /** Pieces wait from now on until the whole text is here. */
  expectWhole(): void {
    this.#waiting ??= [];
  }

  get isExpectingWhole(): boolean {
    return this.#waiting !== undefined;
  }

  /** Takes the whole text, then what arrived meanwhile. */
  takeWhole(whole: string): Taken {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    const grew = whole.length > this.text.length && whole.startsWith(this.text);
    let outcome: Taken = whole === this.text ? 'known' : grew ? 'appended' : 'replaced';
    this.text = whole;
    for (const piece of waiting) {
      // A first piece that the whole text already holds is old news, not a new beginning.
      if (piece.base === 0 && this.text.startsWith(piece.text)) continue;
      const taken = this.#apply(piece);
      if (taken === 'gap') return 'gap';
      if (taken === 'replaced' || (taken === 'appended' && outcome === 'known')) outcome = taken;
    }
    return outcome;
  }

  /** The whole text could not be had; go on with what is here. */
  giveUpWhole(): void {
    this.#waiting = undefined;
  }

  #apply(piece: Pick<PreviewPiece, 'base' | 'text'>): Taken {
    const { base, text } = piece;
    if (base === 0) {
      const begins = this.text.length === 0;
      this.text = text;
      return begins ? 'appended' : 'replaced';
    }
    if (base > this.text.length) return 'gap';
    const fresh = text.slice(this.text.length - base);
    if (fresh.length === 0) return 'known';
    this.text += fresh;
    return 'appended';
  }
}
