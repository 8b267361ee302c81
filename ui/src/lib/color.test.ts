import { describe, expect, it } from 'vitest';
import { type Color, colorOf, contrastOf, hexOf } from './color';

describe('a computed colour', () => {
  it('is read in the spellings that browsers give', () => {
    const spelt = ['rgb(38, 34, 28)', 'rgba(0, 0, 0, 0)', 'rgb(10 20 30 / 50%)', 'color(srgb 1 0.5 0)', 'oklch(0.5 0.1 20)', 'red'];
    expect(spelt.map((css) => colorOf(css))).toEqual([
      { rgb: [38, 34, 28], alpha: 1 },
      { rgb: [0, 0, 0], alpha: 0 },
      { rgb: [10, 20, 30], alpha: 0.5 },
      { rgb: [255, 128, 0], alpha: 1 },
      undefined,
      undefined,
    ]);
  });

  it('has six digits', () => {
    expect(hexOf({ rgb: [38, 34, 28], alpha: 1 })).toBe('#26221C');
  });

  it('stands out from its ground as WCAG counts it', () => {
    const [black, white, grey] = [0, 255, 118].map((part): Color => ({ rgb: [part, part, part], alpha: 1 })) as [Color, Color, Color];
    expect([contrastOf(black, white), Number(contrastOf(grey, white).toFixed(2)), contrastOf({ ...black, alpha: 0 }, white)]).toEqual([21, 4.54, 1]);
  });
});
