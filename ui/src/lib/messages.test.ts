import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import messages from './messages.json';
import { asSentence, patternOf, translatedLines, translatedMessage } from './messages';
import strings from './strings.json';

const RUST = fileURLToPath(new URL('../../../src-tauri/', import.meta.url));
const GENERATED = fileURLToPath(new URL('../ipc/generated/types.ts', import.meta.url));

/** Everything the program is made of, without its tests. */
function sources(): string[] {
  const names = readdirSync(RUST, { recursive: true, encoding: 'utf8' });
  const ours = names.filter((name) => name.endsWith('.rs') && !/(^|\/)(tests|benches|examples)(\/|\.rs)/.test(name));
  return ours.map((name) => readFileSync(RUST + name, 'utf8').split('#[cfg(test)]')[0] ?? '');
}

const found = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map((hit) => hit[1] ?? '');

/** The codes of errors, refusals and notices, wherever the program makes one. */
function codesOfTheProgram(): string[] {
  const kinds = /export type ErrorKind = ([^;]+);/.exec(readFileSync(GENERATED, 'utf8'))?.[1] ?? '';
  const codes = found(kinds, /"(\w+)"/g);
  for (const text of sources()) {
    codes.push(...found(text, /CommandError::new\(\s*"(\w+)"/g), ...found(text, /\.notice\(\s*"(\w+)"/g), ...found(text, /code: "(\w+)"/g));
    for (const body of found(text, /pub fn code\(&self\) -> &'static str \{([\s\S]*?)\n {4}\}/g)) codes.push(...found(body, /=> "(\w+)"/g));
  }
  return [...new Set(codes)].sort();
}

/** What stands between the quotes of the program, with lines that were broken joined and facts left out. */
function wordsOfTheProgram(): string {
  const literal = /"((?:[^"\\]|\\[\s\S])*)"/g;
  const quoted = sources().flatMap((text) => found(text, literal));
  return quoted.map((text) => plain(text.replace(/\\\n\s*/g, '').replace(/\\n/g, '\n'))).join('\n');
}
const plain = (text: string) => text.replace(/\{[^{}]*\}/g, '…');

describe('the codes of the program', () => {
  it('are all said in both languages', () => {
    const codes = codesOfTheProgram();
    const known = messages.codes as Record<string, Record<string, string> | undefined>;
    const missing = codes.filter((code) => !known[code]?.en || !known[code]?.['zh-CN']);
    // Some of every kind, so that the search itself is known to work.
    expect([missing, ['bad_key', 'clipboard_empty', 'image_truncated', 'not_there', 'retry'].filter((code) => !codes.includes(code))]).toEqual([[], []]);
  });

  it('have no sentence left over', () => {
    const codes = new Set(codesOfTheProgram());
    expect(Object.keys(messages.codes).filter((code) => !codes.has(code))).toEqual([]);
  });
});

describe('the sentences of the program', () => {
  it('are spelt as the program says them', () => {
    const said = wordsOfTheProgram();
    // Put together from parts that no quotation holds as a whole.
    const parts = (en: string) => plain(en).split(/…|: /).map((part) => part.replace(/^\.?\s+/, '').trim()).filter((part) => part.length > 3);
    expect(messages.sentences.filter(({ en }) => !parts(en).every((part) => said.includes(part))).map(({ en }) => en)).toEqual([]);
  });

  it('name in Chinese only what they name in English', () => {
    const names = (text: string) => new Set(found(text, /\{(\w+)\??\}/g));
    const wrong = messages.sentences.filter((one) => [...names(one['zh-CN'])].some((name) => !names(one.en).has(name)));
    expect(wrong).toEqual([]);
  });

  it('are each found by what they say, not by another', () => {
    const filled = (en: string) => en.replace(/\{\w+\?\}/g, '').replace(/\{(\w+)\}/g, '7');
    const said = messages.sentences.map(({ en }) => filled(en));
    expect(said.filter((text, at) => messages.sentences.findIndex(({ en }) => patternOf(en).test(text)) !== at)).toEqual([]);
  });
});

describe('a message in Chinese', () => {
  const zh = (code: string, message: string) => translatedMessage(code, message, 'zh-CN');

  it('keeps the facts of the English one', () => {
    expect([
      zh('bad_request', '12 pictures are too many; a project takes up to 10, so leave some out'),
      zh('image_unsupported', 'plan.pdf: This is a PDF file, which cannot be read here. Open the page you want and export it as PNG, or take a screenshot of it.'),
      zh('bad_key', 'OpenAI did not accept the key: wrong? (status 401)'),
      zh('retry', 'Anthropic is overloaded. Trying again in 4 s.'),
    ]).toEqual([
      '12 张图片太多，一个项目最多 10 张。请去掉一些。',
      'plan.pdf：这是 PDF 文件，这里无法读取。请打开所需的页面，导出为 PNG 或截图。',
      'OpenAI 没有接受这个密钥：wrong? (status 401)。',
      'Anthropic 负载过高。4 秒后重试。',
    ]);
  });

  it('falls back to its code, then to its own words', () => {
    expect([zh('storage', 'the tape is torn'), zh('storage', ''), zh('new_code', 'the tape is torn')]).toEqual([
      '历史记录无法读写。请检查磁盘后重试。（the tape is torn）',
      '历史记录无法读写。请检查磁盘后重试。',
      'the tape is torn',
    ]);
  });

  it('of the tracer is said line by line', () => {
    const said = 'Looking at shop.png, 1280 × 1500 pixels.\nReading text, line 3 of 41.\n\nSomething else.\nTraced a, b.png: 1 line of text, 12 boxes, 4 pictures. The main colours are #fff, #000.';
    expect(translatedLines(said, 'zh-CN')).toBe(
      '正在查看 shop.png，1280 × 1500 像素。\n正在读取文字，第 3 行，共 41 行。\n\nSomething else.\n已描摹 a, b.png：1 行文字，12 个色块，4 张图片。主要颜色为 #fff, #000。',
    );
  });
});

describe('a message in English', () => {
  it('is what the program said, as a whole sentence', () => {
    const said = ['there is nothing to start from; give a screenshot', 'kiln.png: gone.', 'Done (twice)', ''].map((text) => asSentence(translatedMessage('bad_request', text, 'en')));
    expect(said).toEqual(['There is nothing to start from; give a screenshot.', 'kiln.png: gone.', 'Done (twice).', messages.codes.bad_request.en]);
  });
});

describe('the words of the window', () => {
  it('are there in both languages', () => {
    expect(Object.entries(strings).filter(([, word]) => word.en === undefined || word['zh-CN'] === undefined || (word.en.trim() !== '' && word['zh-CN'].trim() === '')).map(([key]) => key)).toEqual([]);
  });

  it('name the same facts in both', () => {
    const names = (text: string) => [...new Set(found(text, /\{(\w+)\}/g))].sort().join();
    expect(Object.entries(strings).filter(([, word]) => names(word.en) !== names(word['zh-CN'])).map(([key]) => key)).toEqual([]);
  });
});
