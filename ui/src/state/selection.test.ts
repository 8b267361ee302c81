import { describe, expect, it, vi } from 'vitest';
import type { ElementView } from '../ipc/types';
import type { FrameHit } from '../lib/frameMessages';
import type { Asked } from './frameQuestions';
import { SelectionController, type SelectionPorts } from './selection.svelte';

const RECT = { x: 0, y: 0, w: 10, h: 10 };
const hit = (at: number | undefined, more: Partial<FrameHit> = {}): FrameHit => ({ rect: RECT, at, isMade: false, kth: 0, of: 1, version: 'v1', ...more });

const element = (at: number, version = 'v1', more: Partial<ElementView> = {}): ElementView => ({
  pick: { at, version },
  tag: 'p',
  path: `p:nth-of-type(${at})`,
  number: 1,
  alike: 3,
  texts: ['text'],
  hasElements: false,
  attributes: [],
  classes: [],
  style: [],
  parent: { at: 1, version },
  line: 1,
  ancestors: [{ name: 'p', at }],
  firstChild: null,
  previous: null,
  next: at + 1,
  alikeAt: [5, 6, 7],
  alikeTexts: 2,
  ...more,
});

function setUp(answers: (question: Asked) => FrameHit | undefined | Promise<FrameHit | undefined>) {
  const host = {
    describeElement: vi.fn(async (_project: string, _version: string, _path: string, pick: { at: number; version: string }) => element(pick.at, pick.version)),
    changeElement: vi.fn(async () => ({ versionId: 'two', standing: { undoable: 1, redoable: 0 }, pick: { at: 5, version: 'v2' }, changed: 1 })),
  };
  const ports = {
    ask: vi.fn(async (question: Asked) => answers(question)),
    page: vi.fn((): ReturnType<SelectionPorts['page']> => ({ projectId: 'p', versionId: 'one', path: 'index.html' })),
    edit: vi.fn(async (act: () => Promise<void>) => act().then(() => true, () => false)),
    onfail: vi.fn(),
  };
  return { host, ports, selection: new SelectionController(host, ports) };
}

describe('selecting', () => {
  it('asks of one place at a time and ends with the last one the pointer was at', async () => {
    const waiting: ((of: FrameHit) => void)[] = [];
    const { selection, ports } = setUp(() => new Promise((resolve) => waiting.push(resolve)));
    for (const x of [1, 2, 3, 4]) selection.point(x, 0);
    await Promise.resolve();
    waiting[0]?.(hit(1));
    await vi.waitFor(() => expect(waiting).toHaveLength(2));
    waiting[1]?.(hit(4));
    await vi.waitFor(() => expect(selection.hover?.at).toBe(4));
    expect(ports.ask.mock.calls.map(([question]) => question)).toEqual([{ k: 'pick', x: 1, y: 0 }, { k: 'pick', x: 4, y: 0 }]);
  });

  it('takes the nearest element in the source for one that a script made', async () => {
    const { selection } = setUp((question) => (question.k === 'find' ? hit(5) : hit(5, { isMade: true })));
    await selection.choose(1, 1);
    expect([selection.chosen?.element.pick.at, selection.chosen?.hit.isMade, selection.isAround]).toEqual([5, false, true]);
  });

  it('chooses nothing where a page names a place that is none', async () => {
    const { selection, host, ports } = setUp(() => hit(999));
    host.describeElement.mockRejectedValue({ code: 'stale_pick', message: 'no element begins at byte 999 of the page; pick an element again' });
    await selection.choose(1, 1);
    expect([selection.chosen, selection.isSilent, ports.onfail.mock.calls]).toEqual([undefined, true, []]);
  });

  it('takes no answer to a choice that was followed by another', async () => {
    let first: ((of: FrameHit) => void) | undefined;
    const { selection } = setUp((question) => (question.k === 'pick' && question.x === 1 ? new Promise((resolve) => (first = resolve)) : hit(6)));
    const slow = selection.choose(1, 1);
    await selection.choose(2, 2);
    first?.(hit(5));
    await slow;
    expect(selection.chosen?.element.pick.at).toBe(6);
  });

  it('goes to the elements around and beside, and stays where there is none', async () => {
    const { selection, ports } = setUp((question) => hit(question.k === 'find' ? question.at : 5));
    await selection.choose(1, 1);
    await selection.go('previous');
    await selection.go('next');
    await selection.go('parent');
    expect([selection.chosen?.element.pick.at, ports.ask.mock.calls.map(([question]) => (question.k === 'find' ? question.at : 'point'))]).toEqual([1, ['point', 6, 1]]);
  });

  it('keeps all alike as the reach among those that are alike, and forgets it elsewhere', async () => {
    const { selection } = setUp((question) => hit(question.k === 'find' ? question.at : 5));
    await selection.choose(1, 1);
    selection.reach = 'alike';
    await selection.chooseAt(7);
    const among = selection.reach;
    await selection.chooseAt(40);
    expect([among, selection.reach]).toEqual(['alike', 'one']);
  });
});

describe('changing by hand', () => {
  it('names the element as it was picked, and finds it in the page that comes of it', async () => {
    let version = 'v1';
    const { selection, host } = setUp(() => hit(5, { version }));
    await selection.choose(1, 1);
    const change = { kind: 'setStyle', property: 'color', value: 'red' } as const;
    const done = await selection.change(change);
    version = 'v2';
    await selection.lookAnew();
    expect([done, host.changeElement.mock.calls, selection.chosen?.element.pick]).toEqual([
      true,
      [[{ projectId: 'p', path: 'index.html', pick: { at: 5, version: 'v1' }, change, reach: 'one' }]],
      { at: 5, version: 'v2' },
    ]);
  });

  it('says why it was refused and leaves the choice', async () => {
    const { selection, host } = setUp(() => hit(5));
    const why = { code: 'stale_pick', message: 'the page has changed since the element was picked; pick it again' };
    host.changeElement.mockRejectedValue(why);
    await selection.choose(1, 1);
    const done = await selection.change({ kind: 'addClass', name: 'wide' });
    expect([done, selection.fault, selection.chosen?.element.pick.at, selection.isChanging]).toEqual([false, why, 5, false]);
  });

  it('is not asked for while the page is not kept', async () => {
    const { selection, host, ports } = setUp(() => hit(5));
    await selection.choose(1, 1);
    ports.page.mockReturnValue(undefined);
    expect([await selection.change({ kind: 'addClass', name: 'wide' }), host.changeElement.mock.calls]).toEqual([false, []]);
  });

  it('drops the choice where another page has another element at its place', async () => {
    let version = 'v1';
    const { selection, host } = setUp(() => hit(5, { version }));
    await selection.choose(1, 1);
    version = 'v9';
    host.describeElement.mockResolvedValue(element(5, 'v9', { tag: 'img', path: 'img' }));
    await selection.lookAnew();
    expect(selection.chosen).toBeUndefined();
  });
});
