import { utf8Length } from '../../lib/utf8';
import type { RunEventBody, RunStatus, TokenUsage } from '../types';
import crop1 from './pictures/crop1.webp';
import crop2 from './pictures/crop2.webp';
import crop3 from './pictures/crop3.webp';
import crop4 from './pictures/crop4.webp';

/** One thing that happens in a scripted run; `mark` is where a test may hold it. */
export interface Beat {
  waitMs: number;
  variantIndex?: number;
  body?: RunEventBody;
  mark?: string;
}

export type ScenarioName = 'trace' | 'models' | 'half' | 'fails' | 'words' | 'refused' | 'long' | 'many' | 'retry' | 'flood';

export interface Scenario {
  beats: Beat[];
  /** Which stored page stands at each path of each option. */
  pages: Record<string, string>[];
}

const PIECE = 140;
const LONG_PIECE = 1_500;

class Writer {
  readonly beats: Beat[] = [];
  #elapsedMs = 0;
  #output = 0;

  constructor(
    private readonly variantIndex: number,
    private readonly costPerSecond: number | null,
  ) {}

  put(waitMs: number, body: RunEventBody): this {
    this.#elapsedMs += waitMs;
    this.beats.push({ waitMs, variantIndex: this.variantIndex, body });
    return this;
  }

  mark(mark: string): this {
    this.beats.push({ waitMs: 0, variantIndex: this.variantIndex, mark });
    return this;
  }

  state(state: RunStatus): this {
    return this.put(0, stateBody(state, this.#elapsedMs, this.#output, this.costPerSecond));
  }

  says(eventId: string, text: string): this {
    for (const word of text.match(/\S+\s*/g) ?? []) this.put(18, { type: 'assistant', eventId, text: word });
    return this;
  }

  thinks(eventId: string, text: string): this {
    for (const word of text.match(/\S+\s*/g) ?? []) this.put(20, { type: 'thinking', eventId, text: word });
    return this;
  }

  tool(eventId: string, name: string, input: unknown, output: unknown, tookMs: number): this {
    return this.put(30, { type: 'toolStart', eventId, name, input }).put(tookMs, {
      type: 'toolResult',
      eventId,
      name,
      ok: true,
      output,
    });
  }

  task(title: string, total: number): this {
    for (let done = 0; done < total; done += 3) {
      this.put(60, taskBody(title, 'running', done, total));
      if (done === 27) this.mark('reading');
    }
    return this.put(40, taskBody(title, 'succeeded', total, total));
  }

  writes(eventId: string, page: string, piece: number, waitMs: number, path = 'index.html'): this {
    let base = 0;
    for (let at = 0; at < page.length; ) {
      const end = wholePointEnd(page, at + piece);
      const text = page.slice(at, end);
      this.#output += Math.ceil(text.length / 4);
      this.put(waitMs, { type: 'setCode', eventId, path, base, text });
      base += utf8Length(text);
      if (at < page.length * 0.5 && end >= page.length * 0.5) this.state('running').mark('half');
      else if (Math.floor(at / (piece * 12)) !== Math.floor(end / (piece * 12))) this.state('running');
      at = end;
    }
    return this.tool(eventId, 'create_file', { path }, { path, bytes: base }, 80);
  }
}

function wholePointEnd(text: string, end: number): number {
  const unit = text.charCodeAt(end - 1);
  return end < text.length && unit >= 0xd800 && unit < 0xdc00 ? end + 1 : Math.min(end, text.length);
}

function tokensOf(elapsedMs: number, output: number, costPerSecond: number | null): TokenUsage {
  const input = costPerSecond === null ? 0 : 9_210;
  return { input, cachedRead: 0, cachedWrite: 0, output: costPerSecond === null ? 0 : output, reasoning: 0 };
}

function stateBody(state: RunStatus, elapsedMs: number, output: number, costPerSecond: number | null): RunEventBody {
  const tokens = tokensOf(elapsedMs, output, costPerSecond);
  const costUsd = costPerSecond === null ? 0 : (costPerSecond * elapsedMs) / 1_000;
  return { type: 'runState', state, round: 1, elapsedMs, tokens, costUsd };
}

const taskBody = (title: string, state: string, done: number, total: number): RunEventBody => ({
  type: 'taskState',
  taskId: `task-${title}`,
  kind: 'trace',
  title,
  stage: 'text',
  state,
  done,
  total,
});

const CROPS = {
  artifacts: [
    { asset: crop1, label: 'round vase with a blue glaze', width: 300, height: 220 },
    { asset: crop2, label: 'tall jug', width: 300, height: 220 },
    { asset: crop3, label: 'bowl', width: 300, height: 220 },
    { asset: crop4, label: 'portrait of the potter', width: 96, height: 96 },
  ].map((picture) => ({ kind: 'image', ...picture })),
  unresolved: [{ label: 'logo in the footer', why: 'nothing stands in that box; look again and give another one' }],
};

function traced(page: string, piece = PIECE, waitMs = 26): Writer {
  return new Writer(0, null)
    .state('running')
    .mark('waiting')
    .task('Reading text', 41)
    .tool('crops', 'extract_assets', { assets: 4 }, { ...CROPS, durationMs: 200 }, 200)
    .tool('layout', 'find_layout', {}, { durationMs: 120 }, 120)
    .writes('write', page, piece, waitMs);
}

function modelled(index: number, page: string, waitMs: number, costPerSecond: number): Writer {
  return new Writer(index, costPerSecond)
    .state('running')
    .says('plan', 'A three-column grid that folds to two on tablets and one on phones. I will cut the vessels out of the screenshot.')
    .thinks('thought', 'The cards share a width of 365 px with gaps of 28 px. That is a grid of three equal columns inside a padding of 64 px.')
    .tool('crops', 'extract_assets', { assets: 4 }, { ...CROPS, durationMs: 1_200 }, 300)
    .state('running')
    .writes('write', page, PIECE, waitMs);
}

const LAST_WORDS =
  'Done. 41 of 42 lines are in place. One line of the menu was too faint to read, and the third card sits 18 px low.';

export interface ScenarioPages {
  main: string;
  mainName: string;
  other: string;
  otherName: string;
  long: string;
  /** How many options there are. */
  count: number;
  /** What comes of the second picture and those after it. */
  further: { name: string; text: string }[];
}

const pagePath = (n: number) => `page-${n + 2}.html`;

function withFurther(writer: Writer, further: ScenarioPages['further']): Writer {
  further.forEach(({ text }, n) => writer.writes(`write-${n + 2}`, text, PIECE, 26, pagePath(n)));
  return writer;
}

/** A whole run over the given pages, as the program would tell it. */
export function scenario(name: ScenarioName, pages: ScenarioPages): Scenario {
  const { main, mainName, further } = pages;
  const paths = Object.fromEntries(further.map(({ name: page }, n) => [pagePath(n), page]));
  const alone = (writer: Writer, end: RunStatus, page = mainName): Scenario => ({
    beats: [...writer.mark('end').state(end).beats, { waitMs: 0, body: stateBody(end, 2_400, 0, null) }],
    pages: [{ 'index.html': page, ...paths }],
  });
  switch (name) {
    case 'trace':
      return alone(withFurther(traced(main), further).tool('measure', 'check_page', {}, { durationMs: 300 }, 120).says('last', LAST_WORDS), 'succeeded');
    case 'long':
      return alone(traced(pages.long, LONG_PIECE, 16).says('last', 'Done.'), 'succeeded', 'long');
    case 'flood':
      return alone(traced('<!doctype html><body>flood'), 'succeeded', 'flood');
    case 'many':
      return alone(manySteps(new Writer(0, null).state('running')), 'succeeded');
    case 'retry': {
      const writer = new Writer(0, 0.004).state('running').says('first', 'A grid of three columns, set in the serif of the screenshot.');
      writer.put(100, { type: 'notice', code: 'attempt_replaced', message: 'The reply broke off and was asked for again.', replaces: ['first'] });
      return alone(writer.says('second', 'A grid of three columns.').writes('write', main, PIECE, 20), 'succeeded');
    }
    case 'fails': {
      const writer = traced(main.slice(0, Math.floor(main.length * 0.7)));
      writer.put(60, { type: 'notice', code: 'bad_key', message: 'OpenAI did not accept the key (status 401)', nextStep: 'Check the key in Settings' });
      return alone(writer, 'failed');
    }
    case 'refused': {
      const writer = new Writer(0, 0.004).state('running').thinks('thought', 'The picture cannot be read.');
      writer.put(60, { type: 'notice', code: 'bad_image', message: 'The picture could not be read as a page.', nextStep: 'Try a larger screenshot.' });
      return alone(writer, 'failed');
    }
    case 'words':
      return alone(new Writer(0, 0.004).state('running').says('answer', 'Which of the two menus should the page have?'), 'no_output');
    case 'models': {
      const first = modelled(0, main, 30, 0.0032).says('last', 'Done. The grid folds at 900 px and 600 px.').mark('end').state('succeeded');
      const others = Array.from({ length: pages.count - 1 }, (_, at) => modelled(at + 1, pages.other, 44 + 6 * at, 0.0021).says('last', 'Done.').state('succeeded'));
      return {
        beats: [...braided([first, ...others].map(({ beats }) => beats)), { waitMs: 0, body: stateBody('succeeded', 41_000, 9_000, 0.005) }],
        pages: [{ 'index.html': mainName }, ...others.map(() => ({ 'index.html': pages.otherName }))],
      };
    }
    case 'half': {
      const first = modelled(0, main, 30, 0.0032).says('last', 'Done.').mark('end').state('succeeded');
      const second = new Writer(1, 0.0021).state('running').thinks('thought', 'The key is not taken.');
      second.put(60, { type: 'notice', code: 'bad_key', message: 'OpenAI did not accept the key. It answered 401.', nextStep: 'Check the key in the settings.' });
      second.state('failed');
      return {
        beats: [...braided([first.beats, second.beats]), { waitMs: 0, body: stateBody('succeeded', 41_000, 9_000, 0.005) }],
        pages: [{ 'index.html': mainName }, { 'index.html': pages.otherName }],
      };
    }
  }
}

const MANY = 10_000;

function manySteps(writer: Writer): Writer {
  for (let n = 0; n < MANY / 2; n += 1) {
    writer.beats.push(
      { waitMs: 0, variantIndex: 0, body: { type: 'toolStart', eventId: `step-${n}`, name: 'read_file', input: { path: `part-${n}.html` } } },
      { waitMs: 0, variantIndex: 0, body: { type: 'toolResult', eventId: `step-${n}`, name: 'read_file', ok: true, output: { durationMs: 40 } } },
      { waitMs: 0, variantIndex: 0, body: { type: 'assistant', eventId: `say-${n}`, text: `Part ${n} is read.` } },
    );
  }
  return writer.mark('many');
}

/** Scripts told at once, each in its own order. */
function braided(scripts: Beat[][]): Beat[] {
  const timed = scripts.flatMap((beats) => {
    let at = 0;
    return beats.map((beat) => ({ at: (at += beat.waitMs), beat }));
  });
  timed.sort((a, b) => a.at - b.at);
  let before = 0;
  return timed.map(({ at, beat }) => {
    const waitMs = at - before;
    before = at;
    return { ...beat, waitMs };
  });
}
