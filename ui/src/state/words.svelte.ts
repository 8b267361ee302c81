import type { HostError } from '../ipc/error';
import type { LanguageChoice } from '../ipc/types';
import strings from '../lib/strings.json';
import { bytesIn, moneyIn, numberIn, timeIn, whenIn, type Language } from '../lib/format';
import { asSentence, translatedLines, translatedMessage } from '../lib/messages';

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
/** What the program says of a failure or a notice, in the window's language. */
export const sayMessage = ({ code, message }: HostError): string =>
  asSentence(translatedMessage(code, message, words.language));
/** Lines that the program says of its own work, in the window's language. */
export const sayLines = (text: string): string => translatedLines(text, words.language);
/** Sentences one after the other. */
export const saySentences = (sentences: (string | undefined)[]): string =>
  sentences.filter(Boolean).join(say('sentences.join'));
export const sayPictures = (n: number): string =>
  n === 1 ? say('pictures.one') : say('pictures.many', { n });
