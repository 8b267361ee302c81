import type { Language } from './format';
import messages from './messages.json';

/** A sentence with its facts in braces; a fact with a question mark may be missing. */
export interface Sentence {
  en: string;
  'zh-CN': string;
}

const CODES: Readonly<Record<string, Sentence>> = messages.codes;
const SENTENCES: readonly Sentence[] = messages.sentences;
/** Sentences hold sentences, never deeper than this. */
const DEEPEST = 3;
const FACT = /\{(\w+)(\??)\}/g;

/** Reads an English sentence with facts as a pattern. */
export function patternOf(en: string): RegExp {
  const plain = en.replace(/[.*+?^$()[\]|\\]/g, '\\$&');
  // The question mark of a fact was escaped with the others.
  const facts = plain.replace(/\{(\w+)(\\\?)?\}/g, (_whole, name: string, mayMiss?: string) => `(?<${name}>.${mayMiss ? '*' : '+'}?)`);
  return new RegExp(`^${facts}$`, 's');
}

const patterns = new Map<Sentence, RegExp>();

function translated(text: string, language: Language, depth: number): string | undefined {
  if (depth > DEEPEST) return undefined;
  for (const sentence of SENTENCES) {
    const pattern = patterns.get(sentence) ?? patternOf(sentence.en);
    patterns.set(sentence, pattern);
    const facts = pattern.exec(text);
    if (facts) {
      return sentence[language].replace(FACT, (_whole, name: string) => {
        const fact = (facts.groups?.[name] ?? '').replace(/^: /, '：');
        return translated(fact, language, depth + 1) ?? fact;
      });
    }
  }
  // What is wrong with a file follows its name.
  const [, name, reason] = /^([^:\n]+): (.+)$/s.exec(text) ?? [];
  const told = reason === undefined ? undefined : translated(reason, language, depth + 1);
  return told === undefined ? undefined : `${name}：${told}`;
}

/** What the program said, line by line; a line that is not known stays as it was said. */
export function translatedLines(text: string, language: Language): string {
  if (language === 'en') return text;
  const line = (said: string) => (said.trim() === '' ? said : (translated(said.trim(), language, 0) ?? said));
  return text.split('\n').map(line).join('\n');
}

/** A message with its code; where only the code is known, the words follow in brackets. */
export function translatedMessage(code: string, message: string, language: Language): string {
  const known = CODES[code]?.[language];
  if (language === 'en') return message || (known ?? '');
  const told = translated(message, language, 0);
  if (told !== undefined) return told;
  if (known === undefined) return message;
  return message ? `${known}（${message}）` : known;
}

/** A whole sentence, however it was said: the program's messages may begin small and end without a stop. */
export function asSentence(text: string): string {
  // A name at the beginning keeps its spelling.
  const whole = /^[a-z]+ /.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  return /[.!?。！？）…]$/.test(whole) ? whole : `${whole}.`;
}
