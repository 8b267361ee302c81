import strings from '../lib/strings.json';
import type { LanguageChoice } from '../ipc/types';
import { bytesIn, moneyIn, numberIn, timeIn, whenIn, type Language } from '../lib/format';

export type WordKey = keyof typeof strings;
export type Facts = Record<string, string | number>;

/** The words of the window in the chosen language. */
class Words {
  language = $state<Language>('en');

  choose(choice: LanguageChoice, system: string): void {
    this.language = choice === 'system' ? (system.startsWith('zh') ? 'zh-CN' : 'en') : choice;
  }

  say(key: WordKey, facts: Facts = {}): string {
    return strings[key][this.language].replace(/\{(\w+)\}/g, (whole, name: string) => {
      const fact = facts[name];
      return fact === undefined ? whole : String(fact);
    });
  }
}

export const words = new Words();

/** The text of `key` with its facts filled in. */
export const say = (key: WordKey, facts?: Facts): string => words.say(key, facts);
export const sayTime = (ms: number): string => timeIn(ms, say);
export const sayMoney = (usd: number): string => moneyIn(usd);
export const sayNumber = (n: number): string => numberIn(n, words.language);
export const sayBytes = (n: number): string => bytesIn(n);
export const sayWhen = (atMs: number, nowMs: number): string => whenIn(atMs, nowMs, words.language, say);
/** Facts in one line: “Opus 5.5, 34 s, $0.11”. */
export const sayFacts = (facts: (string | undefined | false)[]): string =>
  facts.filter(Boolean).join(say('facts.join'));
export const sayPictures = (n: number): string =>
  n === 1 ? say('pictures.one') : say('pictures.many', { n });
