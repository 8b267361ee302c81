import { describe, expect, it } from 'vitest';
import type { FrameOrder } from '../lib/frameMessages';
import { FloodGate, frameClaim } from '../lib/frameMessages';
import { PageText } from './pageText';
import { PreviewController } from './preview.svelte';

const target = { runId: 'r', variantIndex: 0 };
const piece = (base: number, text: string, variantIndex = 0, path = 'index.html') => ({
  runId: 'r',
  variantIndex,
  path,
  base,
  text,
});

/** A stage without a browser: frames tick by hand, timers fire by hand, orders are written down. */
function stage(whole?: string) {
  const queue: (() => void)[] = [];
  const timers: { ms: number; then: () => void; off: boolean }[] = [];
  let now = 0;
  const controller = new PreviewController(
    {
      previewText: () =>
        whole === undefined
          ? Promise.reject({ code: 'not_found', message: 'No page yet.' })
          : Promise.resolve({ text: whole, length: whole.length }),
      streamAddress: (runId, variant) => `stream/${runId}/${variant}`,
      pageAddress: (runId, variant, path, version, y) => `page/${runId}/${variant}/${path}?v=${version}&y=${y}`,
      versionAddress: (id, path, version, y) => `version/${id}/${path}?v=${version}&y=${y}`,
    },
    {
      nextFrame: (then) => queue.push(then),
      after: (ms, then) => {
        const timer = { ms, then, off: false };
        timers.push(timer);
        return () => (timer.off = true);
      },
      now: () => now,
    },
  );
  const orders: FrameOrder[] = [];
  const attachAll = () => {
    for (const frame of controller.frames) controller.attach(frame.key, (order) => orders.push(order));
  };
  const settle = async () => {
    await Promise.resolve();
    await Promise.resolve();
    await Promise.resolve();
  };
  return {
    controller,
    orders,
    attachAll,
    settle,
    tick() {
      for (const then of queue.splice(0)) then();
    },
    fire(ms: number) {
      for (const timer of timers.splice(0)) if (!timer.off && timer.ms === ms) timer.then();
    },
    pass(ms: number) {
      now += ms;
    },
    said: () => orders.splice(0).filter((order) => order.k !== 'ping'),
    pings: () => orders.splice(0).filter((order) => order.k === 'ping').length,
    waits: () => timers.filter(({ off }) => !off).length,
  };
}

async function writing(whole?: string) {
  const s = stage(whole);
  s.controller.write(target);
  s.attachAll();
  await s.settle();
  s.controller.hear(1, { k: 'ready' });
  s.tick();
  return s;
}

describe('writing', () => {
  it('asks the frame no more once the stage is left, whatever comes later', async () => {
    const s = await writing();
    s.fire(100);
    s.fire(100);
    const before = [s.pings(), s.waits()];
    s.controller.close();
    const after = s.waits();
    s.controller.write({ runId: 'r', variantIndex: 1 });
    expect([before, after, s.waits()]).toEqual([[2, 1], 0, 0]);
  });

  it('opens the frame and hands over what there is', async () => {
    const s = await writing();
    s.controller.take(piece(0, '<p>'));
    s.tick();
    expect(s.said()).toEqual([{ k: 'open' }, { k: 'text', base: 0, text: '<p>' }]);
  });

  it('sends the pieces of one animation frame as one', async () => {
    const s = await writing();
    s.controller.take(piece(0, 'a'));
    s.tick();
    s.said();
    s.controller.take(piece(1, 'b'));
    s.controller.take(piece(2, '🙂'));
    s.controller.take(piece(4, 'c'));
    s.tick();
    expect(s.said()).toEqual([{ k: 'text', base: 1, text: 'b🙂c' }]);
  });

  it('begins anew without a blank when the text is replaced, where the reader was', async () => {
    const s = await writing();
    s.controller.take(piece(0, 'first try'));
    s.tick();
    s.controller.hear(1, { k: 'y', y: 600 });
    s.said();
    s.controller.take(piece(0, 'second'));
    s.tick();
    expect(s.said()).toEqual([
      { k: 'open' },
      { k: 'text', base: 0, text: 'second' },
      { k: 'scroll', y: 600 },
    ]);
  });

  it('answers a resync with everything', async () => {
    const s = await writing();
    s.controller.take(piece(0, 'abc'));
    s.tick();
    s.said();
    s.controller.hear(1, { k: 'resync', have: 1 });
    s.tick();
    expect(s.said()).toEqual([{ k: 'open' }, { k: 'text', base: 0, text: 'abc' }]);
  });

  it('asks for the whole text when a piece is missing', async () => {
    const s = await writing('abcdef');
    s.said();
    s.controller.take(piece(9, 'late'));
    await s.settle();
    s.tick();
    expect(s.controller.text).toBe('abcdef');
  });

  it('leaves the pieces of another option out of the frame and keeps them', async () => {
    const s = await writing();
    s.controller.take(piece(0, 'other', 1));
    s.tick();
    expect([s.said(), s.controller.hasText]).toEqual([[], false]);
  });

  it('leaves style sheets out of the frame', async () => {
    const s = await writing();
    s.controller.take(piece(0, 'a{}', 0, 'site.css'));
    s.tick();
    expect(s.said()).toEqual([]);
  });
});

describe('several pages', () => {
  const pageTwo = (base: number, text: string) => piece(base, text, 0, 'page-2.html');

  it('leave the frame to the page that was begun first', async () => {
    const s = await writing();
    s.controller.take(pageTwo(0, '<p>two'));
    s.controller.take(piece(0, '<p>one'));
    s.tick();
    expect(s.said()).toEqual([{ k: 'open' }, { k: 'text', base: 0, text: '<p>two' }]);
  });

  it('give the frame to the one that is asked for, from its top', async () => {
    const s = await writing('<p>two');
    s.controller.take(piece(0, '<p>one'));
    s.tick();
    s.controller.hear(1, { k: 'y', y: 600 });
    s.said();
    s.controller.write(target, 'page-2.html');
    s.attachAll();
    await s.settle();
    s.controller.hear(2, { k: 'ready' });
    s.controller.take(piece(6, ' more of one'));
    s.tick();
    expect([s.said(), s.controller.scrollY]).toEqual([[{ k: 'open' }, { k: 'text', base: 0, text: '<p>two' }], 0]);
  });

  it('are loaded under their own addresses', () => {
    const s = stage();
    s.controller.load(target);
    s.attachAll();
    s.controller.hear(1, { k: 'painted', y: 0, h: 900 });
    s.controller.hear(1, { k: 'y', y: 300 });
    s.controller.load(target, 'page-2.html');
    expect(s.controller.frames.map(({ src, level }) => [src, level])).toEqual([
      ['page/r/0/index.html?v=1&y=0', 'front'],
      ['page/r/0/page-2.html?v=2&y=0', 'under'],
    ]);
  });
});

describe('swap', () => {
  it('puts the stored page under the stream and lifts it once painted', async () => {
    const s = await writing();
    s.controller.take(piece(0, '<p>'));
    s.tick();
    s.controller.hear(1, { k: 'y', y: 600 });
    s.controller.finish();
    const before = s.controller.frames.map(({ key, level, src }) => [key, level, src]);
    s.attachAll();
    s.controller.hear(2, { k: 'painted', y: 600, h: 900 });
    const during = s.controller.frames.map(({ key, level }) => [key, level]);
    s.tick();
    s.tick();
    expect([before, during, s.controller.frames.map(({ key }) => key)]).toEqual([
      [
        [1, 'front', 'stream/r/0'],
        [2, 'under', 'page/r/0/index.html?v=1&y=600'],
      ],
      [
        [1, 'front'],
        [2, 'front'],
      ],
      [2],
    ]);
  });

  it('closes the stream with everything in it', async () => {
    const s = await writing();
    s.controller.take(piece(0, '<p>'));
    s.controller.finish();
    expect(s.said()).toEqual([{ k: 'open' }, { k: 'text', base: 0, text: '<p>' }, { k: 'close' }]);
  });

  it('lifts a page that never says it is painted', async () => {
    const s = await writing();
    s.controller.take(piece(0, '<p>'));
    s.tick();
    s.controller.finish();
    s.fire(4_000);
    expect(s.controller.frames.at(-1)?.level).toBe('front');
  });

  it('keeps only the newest swap', async () => {
    const s = await writing();
    s.controller.take(piece(0, '<p>'));
    s.tick();
    s.controller.finish();
    s.controller.reload();
    expect(s.controller.frames.map(({ key }) => key)).toEqual([1, 3]);
  });

  it('follows the reader who scrolled while the page was loading', async () => {
    const s = await writing();
    s.controller.take(piece(0, '<p>'));
    s.tick();
    s.controller.finish();
    s.attachAll();
    s.controller.hear(1, { k: 'y', y: 90 });
    s.said();
    s.controller.hear(2, { k: 'painted', y: 0, h: 900 });
    expect(s.said()).toEqual([{ k: 'scroll', y: 90 }]);
  });

  it('shows no frame when a run ends without a page', async () => {
    const s = await writing();
    s.controller.finish();
    expect([s.controller.phase, s.controller.frames]).toEqual(['empty', []]);
  });

  it('keeps the old page until the next one has text', async () => {
    const s = stage();
    s.controller.load(target);
    s.attachAll();
    s.controller.hear(1, { k: 'painted', y: 0, h: 900 });
    s.controller.write({ runId: 'r2', variantIndex: 0 });
    expect(s.controller.frames.map(({ src, level }) => [src, level])).toEqual([
      ['page/r/0/index.html?v=1&y=0', 'front'],
      ['stream/r2/0', 'under'],
    ]);
  });
});

describe('claims of a frame', () => {
  it('are dropped when out of shape', () => {
    const said = [null, 'ready', {}, { k: 'y' }, { k: 'y', y: Infinity }, { k: 'y', y: '9' }, { k: 'resync', have: -9 }, { k: 'error', m: {} }];
    expect(said.map(frameClaim)).toEqual(said.map(() => undefined));
  });

  it('are cut to a sane length', () => {
    expect(frameClaim({ k: 'error', m: 'x'.repeat(9_000) })).toEqual({ k: 'trouble', text: 'x'.repeat(500) });
  });

  it('from a frame that floods end that frame', async () => {
    const s = await writing();
    for (let n = 0; n < 1_001; n += 1) s.controller.hear(1, { k: 'y', y: 1 });
    expect([s.controller.frames, s.controller.flooded]).toEqual([[], true]);
  });

  it('may be as many in every second', () => {
    const gate = new FloodGate(2);
    expect([0, 10, 20, 1_000, 1_010].map((now) => gate.passes(now))).toEqual([true, true, false, true, true]);
  });
});

describe('page text', () => {
  it('takes what overlaps only once', () => {
    const text = new PageText();
    text.takeWhole('abcdef');
    expect([text.take({ base: 2, text: 'cdef' }), text.take({ base: 4, text: 'efgh' }), text.text]).toEqual(['known', 'appended', 'abcdefgh']);
  });

  it('applies what arrived while the whole text was fetched', () => {
    const text = new PageText();
    text.expectWhole();
    text.take({ base: 0, text: 'ab' });
    text.take({ base: 2, text: 'cd' });
    text.take({ base: 4, text: 'ef' });
    expect([text.takeWhole('abcd'), text.text]).toEqual(['appended', 'abcdef']);
  });

  it('notices that pieces are still missing', () => {
    const text = new PageText();
    text.expectWhole();
    text.take({ base: 9, text: 'x' });
    expect(text.takeWhole('abcd')).toBe('gap');
  });
});
