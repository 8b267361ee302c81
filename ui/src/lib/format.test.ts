import { describe, expect, it } from 'vitest';
import strings from './strings.json';
import { bytesIn, moneyIn, timeIn, whenIn } from './format';

const say = (key: keyof typeof strings, facts: Record<string, string | number> = {}) =>
  strings[key].en.replace(/\{(\w+)\}/g, (_, name: string) => String(facts[name]));

describe('figures', () => {
  it('writes durations in the largest unit that keeps them exact enough', () => {
    expect([240, 2_400, 9_960, 34_000, 72_000, 3_720_000].map((ms) => timeIn(ms, say))).toEqual([
      '0.2 s',
      '2.4 s',
      '10 s',
      '34 s',
      '1 min 12 s',
      '1 h 2 min',
    ]);
  });

  it('never shows a real cost as nothing', () => {
    expect([0, 0.0042, 0.11, 5].map(moneyIn)).toEqual(['$0.00', '$0.0042', '$0.11', '$5.00']);
  });

  it('writes sizes in thousands', () => {
    expect([12, 612_400, 1_250_000].map(bytesIn)).toEqual(['12 B', '612 KB', '1.3 MB']);
  });

  it('names days by their distance', () => {
    const now = new Date(2025, 10, 12, 9).getTime();
    const at = [new Date(2025, 10, 12, 1), new Date(2025, 10, 11, 23), new Date(2025, 10, 10), new Date(2025, 10, 2)];
    expect(at.map((date) => whenIn(date.getTime(), now, 'en', say))).toEqual(['Today', 'Yesterday', 'Monday', '2 November']);
  });
});

describe('words', () => {
  it('have the same facts in both languages', () => {
    const facts = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map((found) => found[1]).sort();
    const uneven = Object.entries(strings).filter(
      ([, text]) => JSON.stringify(facts(text.en)) !== JSON.stringify(facts(text['zh-CN'])),
    );
    expect(uneven).toEqual([]);
  });

  it('keep to the rules of writing', () => {
    const broken = Object.entries(strings).filter(
      ([, text]) => /!|please|successfully|oops/i.test(text.en) || /[！您哦呢]/.test(text['zh-CN']),
    );
    expect(broken).toEqual([]);
  });
});
