import type { EngineChoice, ImageModelView, ImageSettings, KeyStatus, ModelSettings, ModelView, PresetView, SavedEndpoint } from '../types';
import type { Host } from '../host';
import { MODELS, OFFLINE } from './shelf';

type ModelHost = Pick<
  Host,
  'modelSettings' | 'setKey' | 'removeKey' | 'testProvider' | 'listModels' | 'saveEndpoint' | 'removeEndpoint' | 'chooseEngines' | 'saveSpendCap' | 'saveImageSettings'
>;

const IMAGE_MODELS: Omit<ImageModelView, 'hasKey'>[] = [
  { id: 'prunaai/z-image-turbo', provider: 'replicate', vendor: 'Replicate' },
  { id: 'gpt-image-2', provider: 'openai', vendor: 'OpenAI', priceUsd: 0.2 },
  { id: 'gemini-3.1-flash-image', provider: 'gemini', vendor: 'Gemini' },
];
const VENDORS = ['openai', 'anthropic', 'gemini', 'replicate'];
const USUAL: Record<string, string> = {
  anthropic: 'claude-opus-5-5',
  openai: 'gpt-6.2-sol',
  gemini: 'gemini-4-argon',
};
const NAMES: Record<string, string> = { anthropic: 'Anthropic', openai: 'OpenAI', gemini: 'Gemini', replicate: 'Replicate' };

const known = (provider: string, id: string, inputPrice?: number, outputPrice?: number): ModelView => ({
  engine: `${provider}:${id}`,
  provider,
  id,
  name: id,
  inputPrice,
  outputPrice,
});

const KNOWN: ModelView[] = [
  known('anthropic', 'claude-opus-5-5', 5, 25),
  known('anthropic', 'claude-sonnet-5-5', 3, 15),
  known('anthropic', 'claude-haiku-5', 0.8, 4),
  known('openai', 'gpt-6.2-sol', 1.75, 14),
  known('openai', 'gpt-6.2-sol-mini', 0.3, 2.4),
  known('gemini', 'gemini-4-argon', 2, 12),
];

const preset = (name: string, address: string, needsKey: boolean, hint: string): PresetView => ({ name, address, needsKey, hint });
const PRESETS: PresetView[] = [
  preset('Ollama', 'http://localhost:11434/v1', false, 'Start it with `ollama serve` and pull the model first; its context length is set on the server'),
  preset('LM Studio', 'http://localhost:1234/v1', false, 'Start its server; the first answer can take minutes while the model loads'),
  preset('vLLM', 'http://localhost:8000/v1', false, 'Start it with `--enable-auto-tool-choice` and a `--tool-call-parser`'),
  preset('llama.cpp', 'http://localhost:8080/v1', false, 'Start it with `--jinja`, and with `--mmproj` to see pictures'),
  preset('OpenRouter', 'https://openrouter.ai/api/v1', true, 'Its model list is public: only a reply proves the key'),
  preset('DeepSeek', 'https://api.deepseek.com/v1', true, 'Choose a model that takes tools'),
  preset('Azure OpenAI', 'https://{resource}.openai.azure.com/openai/deployments/{deployment}?api-version={version}', true, "The deployment's name stands for the model"),
];

const WORKSTATION: SavedEndpoint = { id: 'workstation', name: 'Studio workstation', provider: 'chat', address: 'http://192.168.1.20:11434/v1' };
const NO_SERVICE = 'this system has no keychain that can be reached (no secret service answers); install one, on Linux gnome-keyring or KWallet, and start the program again';
const TROUBLES = {
  locked: 'the keychain is locked (SS error: result not returned from SS API); unlock it and try again',
  denied: 'the keychain refused access (SS error: prompt dismissed); allow it for this program and try again',
  slow: 'the keychain did not answer within 8 seconds; it may be asking in a window of its own, so answer there and try again',
  failed: 'the keychain could not do it (what is kept there is no text; set the key again)',
};
const isTrouble = (name: string): name is keyof typeof TROUBLES => name in TROUBLES;
const isLoopback = (address: string) => /^https?:\/\/(localhost|127\.|\[::1\])/.test(address);

/** Keys, models and endpoints of the scripted host: `?engines=2&keychain=none&endpoints=1&test=refused`. */
export function fakeModels(asked: URLSearchParams, hasModels: boolean): { answers: ModelHost; engines(): EngineChoice[] } {
  const hasKeychain = asked.get('keychain') !== 'none';
  const keys = new Map<string, KeyStatus['state']>();
  if (hasModels) for (const model of MODELS) keys.set(model.id.split(':')[0] ?? '', hasKeychain ? 'stored' : 'until_exit');
  const trouble = asked.get('keychain') ?? '';
  if (isTrouble(trouble)) keys.set('gemini', trouble);
  if (asked.get('environment') === '1') keys.set('gemini', 'environment');
  let endpoints: SavedEndpoint[] = asked.get('endpoints') === '1' ? [WORKSTATION] : [];
  let chosen = endpoints.length > 0 ? ['chat/workstation:qwen4-vl'] : [];
  let spendCapUsd = 5;
  let makesImages = asked.get('images') === 'on';
  let imageModel = IMAGE_MODELS[0]?.id ?? '';

  const has = (provider: string) => ['stored', 'until_exit', 'environment'].includes(keys.get(provider) ?? '');

  function view(engine: string): EngineChoice {
    const [place = '', ...model] = engine.split(':');
    const endpoint = endpoints.find(({ id }) => `chat/${id}` === place);
    const label = model.join(':');
    return { id: engine, label: endpoint ? `${label} (${endpoint.name})` : label, ready: true, local: endpoint !== undefined && isLoopback(endpoint.address) };
  }

  function engines(): EngineChoice[] {
    const usual = Object.entries(USUAL).flatMap(([provider, model]) => (has(provider) ? [`${provider}:${model}`] : []));
    const there = chosen.filter((engine) => has(engine.split(':')[0] ?? '') || endpoints.some(({ id }) => engine.startsWith(`chat/${id}:`)));
    return [...[...new Set([...usual, ...there])].map(view), OFFLINE];
  }

  function status(provider: string): KeyStatus {
    const state = keys.get(provider) ?? (hasKeychain ? 'absent' : 'no_service');
    const where = {
      absent: '',
      stored: 'the system’s keychain',
      until_exit: 'memory, until the program ends',
      environment: 'the environment variable GEMINI_API_KEY',
      no_service: NO_SERVICE,
      ...TROUBLES,
    }[state];
    if (state === 'until_exit') return { provider, state, where, trouble: NO_SERVICE };
    if (state === 'environment' && trouble === 'locked') return { provider, state, where, trouble: TROUBLES.locked };
    return { provider, state, where };
  }

  function settings(): ModelSettings {
    const all = [...VENDORS, ...endpoints.map(({ id }) => `endpoint:${id}`)];
    return {
      keys: all.map(status),
      keysLast: hasKeychain,
      endpoints,
      presets: PRESETS,
      engines: engines(),
      models: KNOWN,
      spendCapUsd,
      pricesOf: '2026-11-20',
      images: images(),
    };
  }

  function images(): ImageSettings {
    const models = IMAGE_MODELS.map((model) => ({ ...model, hasKey: has(model.provider) }));
    const asked = models.find(({ id, hasKey }) => hasKey && id === imageModel) ?? models.find(({ hasKey }) => hasKey);
    const unpriced = makesImages && asked?.priceUsd === undefined ? asked?.vendor : undefined;
    return { isOn: makesImages, model: imageModel, models, unpriced };
  }

  const listOf = (provider: string): ModelView[] => {
    const id = provider.replace('endpoint:', '');
    if (!provider.startsWith('endpoint:')) return [...KNOWN.filter((model) => model.provider === provider), known(provider, `${provider}-preview-next`)];
    return ['qwen4-vl', 'gemma4:27b', 'llava-next:13b'].map((model) => ({ engine: `chat/${id}:${model}`, provider: 'chat', id: model, name: model }));
  };

  const answers: ModelHost = {
    modelSettings: async () => {
      if (asked.get('settings') === 'broken') throw { code: 'storage', message: 'The settings could not be read. Their file is locked by another program.' };
      return settings();
    },
    setKey: async (provider, key) => {
      if (key === 'refused') throw { code: 'storage', message: TROUBLES.denied };
      keys.set(provider, hasKeychain ? 'stored' : 'until_exit');
      return status(provider);
    },
    removeKey: async (provider) => {
      keys.delete(provider);
      return status(provider);
    },
    testProvider: async (provider) => {
      if (asked.get('test') === 'refused') return { ok: false, message: 'Incorrect API key provided: sk-…9f. Check the key in the settings' };
      const name = NAMES[provider] ?? new URL(endpoints.find(({ id }) => provider === `endpoint:${id}`)?.address ?? 'http://x').host;
      return { ok: true, message: `${name} answers and lists ${listOf(provider).length} models` };
    },
    listModels: async (provider) => {
      if (asked.get('test') === 'refused') throw { code: 'bad_key', message: 'Incorrect API key provided: sk-…9f' };
      return listOf(provider);
    },
    saveEndpoint: async (endpoint) => {
      if (!/^(https?:\/\/)?[\w.[\]:-]+(\/.*)?$/.test(endpoint.address)) throw { code: 'bad_request', message: `${endpoint.address} is not a web address; write it like http://localhost:11434/v1` };
      const saved = endpoint.id === '' ? { ...endpoint, id: `e${endpoints.length + 1}` } : endpoint;
      endpoints = [...endpoints.filter(({ id }) => id !== saved.id), saved];
      return saved;
    },
    removeEndpoint: async (id) => {
      endpoints = endpoints.filter((endpoint) => endpoint.id !== id);
      keys.delete(`endpoint:${id}`);
    },
    chooseEngines: async (next) => {
      chosen = next;
      return engines();
    },
    saveSpendCap: async (cap) => void (spendCapUsd = cap),
    saveImageSettings: async (isOn, model) => {
      makesImages = isOn;
      imageModel = model;
      return images();
    },
  };
  return { answers, engines };
}
