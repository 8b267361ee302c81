import { describe, expect, it } from 'vitest';
import type { RunEvent, RunEventBody, RunStatus, TokenUsage } from '../ipc/types';
import { isLive } from '../lib/status';
import { runMs, runTokens } from './runFacts';
import { foldRunEvent, foldSnapshot, unheardRun, type RunState } from './runReducer';

const tokens: TokenUsage = { input: 1, cachedRead: 0, cachedWrite: 0, output: 2, reasoning: 0 };

function numbered(bodies: RunEventBody[], variantIndex?: number): RunEvent[] {
  return bodies.map((body, at) => ({ runId: 'r', variantIndex, seq: at + 1, ...body }));
}

function fold(events: RunEvent[], from: RunState = unheardRun('r')): RunState {
  return events.reduce((run, event) => {
    const folded = foldRunEvent(run, event);
    return folded.kind === 'folded' ? folded.run : run;
  }, from);
}

const code = (base: number, text: string, eventId = 'w', path = 'index.html'): RunEventBody => ({
  type: 'setCode',
  eventId,
  path,
  base,
  text,
});
const state = (status: RunStatus): RunEventBody => ({
  type: 'runState',
  state: status,
  round: 1,
  elapsedMs: 900,
  tokens,
  costUsd: 0.11,
});
const start = (eventId: string, name = 'read_text'): RunEventBody => ({
  type: 'toolStart',
  eventId,
  name,
  input: { n: 1 },
});
const says = (text: string, eventId = 's'): RunEventBody => ({ type: 'assistant', eventId, text });
const rowsOf = (run: RunState, index = 0) =>
  run.variants.find((variant) => variant.index === index)?.rows ?? [];
const fileOf = (run: RunState, path = 'index.html') => run.variants[0]?.files[path];

describe('the tool that thinks', () => {
  const ended = (eventId: string, ok: boolean): RunEventBody => ({
    type: 'toolResult',
    eventId,
    name: 'think',
    ok,
    output: ok ? {} : { error: 'thought is missing' },
  });

  it('is the thought it leaves, not a step beside it', () => {
    const thought: RunEventBody = { type: 'thinking', eventId: 't', text: 'Two columns.' };
    const run = fold(numbered([thought, start('w', 'think'), ended('w', true)], 0));
    expect(rowsOf(run).map((row) => row.kind)).toEqual(['thought']);
  });

  it('is a step where it failed', () => {
    const run = fold(numbered([start('w', 'think'), ended('w', false)], 0));
    expect(rowsOf(run).map((row) => row.kind === 'tool' && row.state)).toEqual(['failed']);
  });
});

describe('order of events', () => {
  it('ignores an event it has already folded', () => {
    const events = numbered([says('one '), says('two')], 0);
    const run = fold(events);
    expect([foldRunEvent(run, events[0] as RunEvent), foldRunEvent(run, events[1] as RunEvent)]).toEqual([
      { kind: 'ignored' },
      { kind: 'ignored' },
    ]);
  });

  it('asks for the snapshot when a number is missing', () => {
    const run = fold(numbered([says('one')], 0));
    expect(foldRunEvent(run, { runId: 'r', variantIndex: 0, seq: 3, ...says('three') })).toEqual({ kind: 'gap' });
  });

  it('leaves the state as it was on a gap', () => {
    const run = fold(numbered([code(0, 'abc')], 0));
    foldRunEvent(run, { runId: 'r', variantIndex: 0, seq: 2, ...code(2, 'd') });
    expect([run.seq, fileOf(run)]).toEqual([1, { text: 'abc', bytes: 3 }]);
  });

  it('ignores the events of another run', () => {
    expect(foldRunEvent(unheardRun('r'), { runId: 'other', seq: 1, ...says('x') })).toEqual({ kind: 'ignored' });
  });

  it('ignores everything after the terminal state of the run', () => {
    const run = fold(numbered([state('succeeded')]));
    expect(foldRunEvent(run, { runId: 'r', variantIndex: 0, seq: 2, ...says('late') })).toEqual({ kind: 'ignored' });
  });

  it('goes on from a snapshot with the next number', () => {
    const events = numbered([says('a'), says('b'), says('c')], 0);
    const snapshot = foldSnapshot({ runId: 'r', projectId: 'p', seq: 2, events: events.slice(0, 2) });
    expect(fold(events, snapshot)).toEqual(fold(events));
  });

  it('takes the number of a snapshot that holds no events', () => {
    expect(foldSnapshot({ runId: 'r', projectId: 'p', seq: 7, events: [] }).seq).toBe(7);
  });
});

describe('files', () => {
  it('counts what it holds in UTF-8 bytes', () => {
    const run = fold(numbered([code(0, 'é'), code(2, '漢'), code(5, '🙂'), code(9, '.')], 0));
    expect(fileOf(run)).toEqual({ text: 'é漢🙂.', bytes: 10 });
  });

  it('takes a base counted in characters for a gap', () => {
    const run = fold(numbered([code(0, '漢')], 0));
    expect(foldRunEvent(run, { runId: 'r', variantIndex: 0, seq: 2, ...code(1, 'x') })).toEqual({ kind: 'gap' });
  });

  it('replaces the whole file at base 0', () => {
    const run = fold(numbered([code(0, 'long old text'), code(0, 'new')], 0));
    expect(fileOf(run)).toEqual({ text: 'new', bytes: 3 });
  });

  it('keeps the files of a variant apart by path', () => {
    const run = fold(numbered([code(0, 'h'), code(0, 'c', 'x', 'site.css'), code(1, 'i')], 0));
    expect(run.variants[0]?.files).toEqual({
      'index.html': { text: 'hi', bytes: 2 },
      'site.css': { text: 'c', bytes: 1 },
    });
  });

  it('keeps the same path of two variants apart', () => {
    const run = fold([
      { runId: 'r', variantIndex: 1, seq: 1, ...code(0, 'B') },
      { runId: 'r', variantIndex: 0, seq: 2, ...code(0, 'A') },
      { runId: 'r', variantIndex: 1, seq: 3, ...code(1, 'b') },
    ]);
    expect(run.variants.map((variant) => [variant.index, variant.files['index.html']?.text])).toEqual([
      [0, 'A'],
      [1, 'Bb'],
    ]);
  });

  it('replays to the same bytes however the text was cut', () => {
    const text = '<p>naïve 漢字 🙂🏽</p>\r\n'.repeat(9);
    for (const size of [1, 3, 7, text.length]) {
      const pieces: RunEventBody[] = [];
      const encoder = new TextEncoder();
      const points = [...text];
      for (let at = 0, base = 0; at < points.length; at += size) {
        const piece = points.slice(at, at + size).join('');
        pieces.push(code(base, piece));
        base += encoder.encode(piece).length;
      }
      expect(fileOf(fold(numbered(pieces, 0)))).toEqual({ text, bytes: encoder.encode(text).length });
    }
  });
});

describe('rows', () => {
  it('joins the deltas of one event into one row', () => {
    const run = fold(numbered([says('A three-'), says('column grid.')], 0));
    expect(rowsOf(run)).toMatchObject([{ kind: 'say', text: 'A three-column grid.' }]);
  });

  it('shows a call as writing before its start is told', () => {
    const run = fold(numbered([code(0, 'a\nb\n'), code(4, 'c')], 0));
    expect(rowsOf(run)).toMatchObject([{ id: 'w', state: 'writing', code: { path: 'index.html', lines: 3 } }]);
  });

  it('keeps what a call wrote through its start and its result', () => {
    const run = fold(
      numbered(
        [
          code(0, 'a\n'),
          start('w', 'create_file'),
          { type: 'toolResult', eventId: 'w', name: 'create_file', ok: true, output: { path: 'index.html' } },
        ],
        0,
      ),
    );
    expect(rowsOf(run)).toMatchObject([
      { id: 'w', name: 'create_file', state: 'done', input: { n: 1 }, code: { lines: 2 }, output: { path: 'index.html' } },
    ]);
  });

  it('marks a refused call as failed', () => {
    const run = fold(numbered([start('t'), { type: 'toolResult', eventId: 't', name: 'x', ok: false, output: 'no' }], 0));
    expect(rowsOf(run)).toMatchObject([{ state: 'failed', output: 'no' }]);
  });

  it('strikes a replaced attempt through and keeps it', () => {
    const run = fold(
      numbered(
        [
          says('First try', 'one'),
          code(0, '<p>', 'two'),
          { type: 'notice', code: 'attempt_replaced', message: 'Trying again', replaces: ['one', 'two'] },
          code(0, '<h1>', 'three'),
        ],
        0,
      ),
    );
    expect(rowsOf(run).map((row) => [row.id, row.struck])).toEqual([
      ['one', true],
      ['two', true],
      ['notice-3', false],
      ['three', false],
    ]);
    expect(fileOf(run)?.text).toBe('<h1>');
  });

  it('lets a task that has ended not begin again', () => {
    const task = (state: string, done: number): RunEventBody => ({ type: 'taskState', taskId: 'ocr', kind: 'trace', title: 'Reading text', stage: '', state, done, total: 4 });
    const run = fold(numbered([task('running', 1), task('cancelled', 2), task('running', 3), task('succeeded', 4)], 0));
    expect(rowsOf(run)).toMatchObject([{ id: 'ocr', state: 'cancelled', done: 2 }]);
  });

  it('updates a task in place', () => {
    const task = (done: number): RunEventBody => ({
      type: 'taskState',
      taskId: 'ocr',
      kind: 'trace',
      title: 'Reading text',
      stage: 'lines',
      state: 'running',
      done,
      total: 41,
    });
    expect(rowsOf(fold(numbered([task(1), task(27)], 0)))).toMatchObject([{ id: 'ocr', done: 27, total: 41 }]);
  });

  it('tells a notice of the whole run in every variant', () => {
    const run = fold([
      { runId: 'r', variantIndex: 0, seq: 1, ...says('a') },
      { runId: 'r', variantIndex: 1, seq: 2, ...says('b') },
      { runId: 'r', seq: 3, type: 'notice', code: 'offline', message: 'No connection' },
    ]);
    expect([0, 1].map((index) => rowsOf(run, index).at(-1)?.kind)).toEqual(['notice', 'notice']);
  });

  it('ends what is open when the run is stopped', () => {
    const events = numbered([start('t')], 0);
    const run = fold([...events, { runId: 'r', seq: 2, ...state('cancelled') }]);
    expect([rowsOf(run)[0], run.variants[0]?.state]).toMatchObject([{ state: 'stopped' }, 'cancelled']);
  });

  it('measures a row from its first to its last event', () => {
    let run = unheardRun('r');
    const heard: [RunEventBody, number][] = [
      [start('t'), 1_000],
      [{ type: 'toolResult', eventId: 't', name: 'x', ok: true, output: null }, 2_400],
    ];
    heard.forEach(([body, at], index) => {
      const folded = foldRunEvent(run, { runId: 'r', variantIndex: 0, seq: index + 1, ...body }, at);
      if (folded.kind === 'folded') run = folded.run;
    });
    expect(rowsOf(run)).toMatchObject([{ startedAtMs: 1_000, endedAtMs: 2_400 }]);
  });
});

describe('states', () => {
  it('never changes the terminal state of a variant', () => {
    const run = fold(numbered([state('failed'), state('running')], 0));
    expect(run.variants[0]?.state).toBe('failed');
  });

  it('gives a run that ends its state to variants that were still at work', () => {
    const run = fold([
      { runId: 'r', variantIndex: 0, seq: 1, ...state('succeeded') },
      { runId: 'r', variantIndex: 1, seq: 2, ...state('running') },
      { runId: 'r', seq: 3, ...state('interrupted') },
    ]);
    expect(run.variants.map((variant) => variant.state)).toEqual(['succeeded', 'interrupted']);
  });

  it('holds the totals of the run apart from those of a variant', () => {
    const run = fold([
      { runId: 'r', variantIndex: 0, seq: 1, ...state('running') },
      { runId: 'r', seq: 2, type: 'runState', state: 'running', round: 0, elapsedMs: 5, tokens, costUsd: null },
    ]);
    expect([run.costUsd, run.variants[0]?.costUsd]).toEqual([null, 0.11]);
  });
});

// S-64
describe('status and meter', () => {
  const of = (variantIndex: number | undefined, bodies: RunEventBody[]) =>
    bodies.map((body) => ({ variantIndex, body }));

  it('come from the same events and never rest while a request is open', () => {
    const steps = [
      ...of(0, [state('running'), says('a'), state('waiting'), state('running'), start('w', 'create_file')]),
      ...of(1, [state('running'), says('b', 't')]),
      ...of(0, [state('succeeded')]),
      ...of(1, [state('waiting'), state('running'), says('c', 't'), state('failed')]),
      ...of(undefined, [state('succeeded')]),
    ];
    const events = steps.map(({ variantIndex, body }, at) => ({ runId: 'r', variantIndex, seq: at + 1, ...body }));
    const busy = events.map((_, at) => isLive(fold(events.slice(0, at + 1)).state));
    expect(busy).toEqual(events.map((_, at) => at + 1 < events.length));
  });

  it('go on for one option while another rests', () => {
    const events = [
      { runId: 'r', variantIndex: 0, seq: 1, ...state('running') },
      { runId: 'r', variantIndex: 1, seq: 2, ...state('running') },
      { runId: 'r', variantIndex: 0, seq: 3, ...state('succeeded') },
    ];
    const run = events.reduce((held, event) => {
      const folded = foldRunEvent(held, event, 1_000);
      return folded.kind === 'folded' ? folded.run : held;
    }, unheardRun('r'));
    expect([isLive(run.state), runMs(run, 1_000), runMs(run, 4_000)]).toEqual([true, 900, 3_900]);
    expect(runTokens(run)).toEqual({ input: 2, cachedRead: 0, cachedWrite: 0, output: 4, reasoning: 0 });
  });
});
