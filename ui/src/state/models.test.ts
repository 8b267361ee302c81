import { describe, expect, it } from 'vitest';
import type { EngineChoice, ModelSettings } from '../ipc/types';
import { hostsOf, unpricedPictures } from '../lib/engines';
import { Models } from './models.svelte';
import { PriceQuestion } from './priceQuestion.svelte';
import { RunSetup } from './runSetup.svelte';
import { sendingOf, type Send } from './sending';

const engine = (id: string, local = false): EngineChoice => ({ id, label: id.slice(id.indexOf(':') + 1), ready: true, local });
const offline = engine('offline', true);
const opus = engine('anthropic:opus');
const haiku = engine('anthropic:haiku');
const qwen = engine('chat/e1:qwen', true);
const gateway = engine('chat/e2:llama');
const endpoints = [
  { id: 'e1', name: 'Mine', provider: 'chat', address: 'localhost:11434/v1' },
  { id: 'e2', name: 'Team', provider: 'chat', address: 'https://llm.example.net/v1' },
];
const settings = (...engines: EngineChoice[]): ModelSettings => ({
  keys: [{ provider: 'anthropic', state: 'stored', where: 'the system’s keychain' }],
  keysLast: true,
  endpoints,
  presets: [],
  engines: [...engines, offline],
  models: [{ engine: opus.id, provider: 'anthropic', id: 'opus', name: 'opus', inputPrice: 5, outputPrice: 25 }],
  spendCapUsd: 5,
  pricesOf: '2026-11-20',
  images: { isOn: false, model: 'z-image', models: [] },
});
const refusal = { code: 'storage', message: 'The keychain is locked.' };
const settle = async () => {
  for (let n = 0; n < 20; n += 1) await Promise.resolve();
};

function loaded(answers: Partial<ConstructorParameters<typeof Models>[0]> = {}) {
  const told: EngineChoice[][] = [];
  const chosen: string[][] = [];
  const host = {
    modelSettings: () => Promise.resolve(settings(opus, haiku)),
    setKey: () => Promise.resolve({ provider: 'openai', state: 'stored' as const, where: '' }),
    removeKey: () => Promise.resolve({ provider: 'openai', state: 'absent' as const, where: '' }),
    testProvider: () => Promise.resolve({ ok: true, message: 'Anthropic answers' }),
    listModels: () => Promise.resolve([]),
    saveEndpoint: (endpoint: (typeof endpoints)[number]) => Promise.resolve({ ...endpoint, id: 'e3' }),
    removeEndpoint: () => Promise.resolve(),
    chooseEngines: (ids: string[]) => {
      chosen.push(ids);
      return Promise.resolve([opus, ...ids.map((id) => engine(id)), offline]);
    },
    saveSpendCap: () => Promise.resolve(),
    saveImageSettings: (isOn: boolean, model: string) => Promise.resolve({ isOn, model, models: [] }),
    ...answers,
  };
  const models = new Models(host, (engines) => told.push(engines));
  return { models, told, chosen };
}

describe('keys and models', () => {
  it('tell the window what can be chosen once a key is kept', async () => {
    const { models, told } = loaded();
    expect([await models.setKey('anthropic', 'k'), told, models.hasSaved]).toEqual([undefined, [[opus, haiku, offline]], true]);
  });

  it('give the refusal of a key back and change nothing', async () => {
    const { models, told } = loaded({ setKey: () => Promise.reject(refusal) });
    expect([await models.setKey('anthropic', 'k'), told, models.hasSaved]).toEqual([refusal, [], false]);
  });

  it('hold what a server said until its key changes', async () => {
    const { models } = loaded({ testProvider: () => Promise.resolve({ ok: false, message: 'token expired' }) });
    await models.test('anthropic');
    const before = models.trials.anthropic;
    await models.setKey('anthropic', 'k');
    expect([before, models.trials.anthropic]).toEqual([{ state: 'bad', message: 'token expired' }, undefined]);
  });

  it('try an endpoint with a model that is offered there', async () => {
    const asked: unknown[] = [];
    const { models } = loaded({
      modelSettings: () => Promise.resolve(settings(gateway)),
      testProvider: (...args) => (asked.push(args), Promise.resolve({ ok: true, message: '' })),
    });
    await models.load();
    await models.test('endpoint:e2');
    expect(asked).toEqual([['endpoint:e2', 'llama']]);
  });

  it('offer models one after the other, so that two quick ticks both count', async () => {
    const { models, chosen } = loaded();
    await models.load();
    void models.offer('anthropic:sonnet', true);
    await models.offer(haiku.id, false);
    expect(chosen).toEqual([['anthropic:haiku', 'anthropic:sonnet'], ['anthropic:sonnet']]);
  });

  it('never send the usual model of a vendor along, which is offered anyway', async () => {
    const { models, chosen } = loaded();
    await models.load();
    await models.offer('chat/e2:llama', true);
    expect([models.isUsual(opus.id), models.isUsual(haiku.id), chosen]).toEqual([true, false, [['anthropic:haiku', 'chat/e2:llama']]]);
  });

  it('tell a price apart from none', async () => {
    const { models } = loaded();
    await models.load();
    expect([opus, haiku, qwen, gateway, offline].map((choice) => models.isPriced(choice))).toEqual([true, false, true, false, true]);
  });

  it('tell why an endpoint is not kept', async () => {
    const { models } = loaded({ saveEndpoint: () => Promise.reject(refusal) });
    expect(await models.saveEndpoint(endpoints[0] as (typeof endpoints)[number])).toEqual(refusal);
  });
});

describe('the setup of a run', () => {
  const setup = new RunSetup(() => [opus, haiku, offline]);

  it('keeps the stack with the project and what was chosen for new ones beside it', () => {
    const own = new RunSetup(() => [opus]);
    own.modelStack = 'bootstrap';
    own.enter('vue-tailwind');
    const first = own.stack;
    own.enter(undefined);
    own.enter('cobol');
    const unknown = own.stack;
    own.leave();
    own.leave();
    expect([first, unknown, own.stack]).toEqual(['vue-tailwind', 'bootstrap', 'bootstrap']);
  });

  it('gives every option the first engine until another is chosen', () => {
    setup.optionCount = 3;
    const before = setup.engineIds;
    setup.choose(1, haiku.id);
    expect([before, setup.engineIds]).toEqual([
      ['anthropic:opus', 'anthropic:opus', 'anthropic:opus'],
      ['anthropic:opus', 'anthropic:haiku', 'anthropic:opus'],
    ]);
  });

  it('makes one page with the tracer and in its own stack', () => {
    setup.choose(0, 'offline');
    expect([setup.engineIds, setup.stack, setup.needsPicture]).toEqual([['offline'], 'html-css', true]);
  });

  it('forgets an engine that is no longer there', () => {
    let there = [opus, haiku];
    const changing = new RunSetup(() => there);
    changing.choose(0, haiku.id);
    there = [opus];
    expect(changing.engineIds).toEqual(['anthropic:opus']);
  });
});

describe('what a run sends', () => {
  const input = { id: 'a', name: 'a.png', width: 1, height: 1, bytes: 412_000, thumbnail: '' };
  const send = (change: Partial<Send>): string => {
    const { lead, rest } = sendingOf({ engines: [opus], inputs: [input], endpoints, capUsd: 5, unpriced: [], isTurn: false, ...change });
    return lead + rest;
  };

  it('names pictures, host and cap', () => {
    expect(send({})).toBe('Sends 1 picture, 412 KB, and your words to api.anthropic.com. Never more than $5.00.');
  });

  it('says between what and what it is likely to cost', () => {
    const likely = { lowUsd: 0.12, highUsd: 0.7 };
    expect([send({ likely }), send({ likely: { lowUsd: 0, highUsd: 0 } })]).toEqual([
      'Sends 1 picture, 412 KB, and your words to api.anthropic.com. About $0.12 to $0.70. Never more than $5.00.',
      'Sends 1 picture, 412 KB, and your words to api.anthropic.com. Never more than $5.00.',
    ]);
  });

  it('names the host that makes pictures wherever a model may ask for some, and each host once', () => {
    const gpt = { ...opus, id: 'openai:gpt', label: 'gpt' };
    const sent = ([[[qwen], 'Replicate'], [[offline], 'Replicate'], [[opus], 'OpenAI'], [[gpt], 'OpenAI']] as const).map(([engines, imageVendor]) =>
      sendingOf({ engines, inputs: [input], endpoints, capUsd: undefined, unpriced: [], isTurn: false, imageVendor }),
    );
    expect(sent.map(({ isLocal, rest }) => [isLocal, rest])).toEqual([
      [false, ' to api.replicate.com.'],
      [true, ' The tracer reads the picture here and costs nothing.'],
      [false, ' to api.anthropic.com and api.openai.com.'],
      [false, ' to api.openai.com.'],
    ]);
  });

  it('names each host once and leaves out what works here', () => {
    expect(hostsOf([opus, haiku, qwen, gateway, offline], endpoints)).toEqual(['api.anthropic.com', 'llm.example.net']);
  });

  it('says that nothing leaves with the tracer or a server on this computer', () => {
    expect([send({ engines: [offline] }), send({ engines: [qwen] })]).toEqual([
      'Nothing leaves this computer. The tracer reads the picture here and costs nothing.',
      'Nothing leaves this computer. qwen works here.',
    ]);
  });

  it('says what the cap cannot hold, and that there is none', () => {
    expect([send({ unpriced: [opus], inputs: [], isTurn: true }), send({ capUsd: 0 })]).toEqual([
      'Sends your words and the page to api.anthropic.com. The price of opus is not known, so the cap cannot hold it.',
      'Sends 1 picture, 412 KB, and your words to api.anthropic.com. No cap is set.',
    ]);
  });
});

describe('a price that is not known', () => {
  // S-63
  it('is asked about once per model and project', async () => {
    const question = new PriceQuestion();
    const first = question.allows('p', [gateway, gateway]);
    const asked = question.engines;
    question.answer(true);
    const isAllowed = await first;
    question.accept('p', [gateway]);
    const second = await question.allows('p', [gateway]);
    void question.allows('other', [gateway]);
    await settle();
    expect([asked, isAllowed, second, question.engines]).toEqual([[gateway], true, true, [gateway]]);
  });

  it('may be that of pictures, which are asked about like an engine', async () => {
    const images = { isOn: true, model: 'z-image', models: [], unpriced: 'Replicate' };
    const [pictures] = unpricedPictures(images);
    const question = new PriceQuestion();
    void question.allows('p', unpricedPictures(images));
    await settle();
    expect([question.engines, unpricedPictures({ ...images, unpriced: undefined }), unpricedPictures(undefined)]).toEqual([[pictures], [], []]);
    expect(pictures?.label).toBe('Replicate');
  });

  it('holds the run back when the answer is no', async () => {
    const question = new PriceQuestion();
    const allowed = question.allows(undefined, [gateway]);
    question.answer(false);
    expect([await allowed, question.engines]).toEqual([false, []]);
  });
});
