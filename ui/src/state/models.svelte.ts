import { hostError, type HostError } from '../ipc/error';
import type { Host } from '../ipc/host';
import type { Asking, EngineChoice, KeyStatus, ModelSettings, ModelView, SavedEndpoint } from '../ipc/types';
import { engineOrigin, isTracer } from '../lib/engines';

/** What came of asking a provider whether it works. */
export type Trial = { state: 'running' } | { state: 'ok' | 'bad'; message: string };

/** The models of a provider, as it lists them itself. */
export type Listing =
  | { state: 'asking' }
  | { state: 'listed'; models: readonly ModelView[] }
  | { state: 'failed'; error: HostError };

type ModelHost = Pick<
  Host,
  'modelSettings' | 'setKey' | 'removeKey' | 'testProvider' | 'listModels' | 'saveEndpoint' | 'removeEndpoint' | 'chooseEngines' | 'saveSpendCap' | 'saveImageSettings'
>;

/**
 * Keys, endpoints, models and the cap. A key passes through and is never kept here. What can be
 * refused gives the refusal, so that it can stand beside its field.
 */
export class Models {
  settings = $state.raw<ModelSettings | undefined>();
  fault = $state.raw<HostError | undefined>();
  trials = $state.raw<Readonly<Record<string, Trial>>>({});
  listings = $state.raw<Readonly<Record<string, Listing>>>({});
  /** Whether something was kept since the settings were opened. */
  hasSaved = $state(false);
  #offering: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly host: ModelHost,
    private readonly onengines: (engines: EngineChoice[]) => void,
  ) {}

  async load(asking: Asking = 'keychain'): Promise<void> {
    try {
      const settings = await this.host.modelSettings(asking);
      this.settings = settings;
      this.fault = undefined;
      this.onengines(settings.engines);
    } catch (cause) {
      this.fault = hostError(cause);
    }
  }

  /** Loads what is not there yet, without asking the keychain: a run asks it for its key. */
  async ready(): Promise<void> {
    if (!this.settings) await this.load('memory');
  }

  key(provider: string): KeyStatus {
    const found = this.settings?.keys.find((key) => key.provider === provider);
    return found ?? { provider, state: 'absent', where: '' };
  }

  /** Whether a run with this engine can be held by the cap. */
  isPriced(engine: EngineChoice): boolean {
    if (isTracer(engine.id) || engine.local) return true;
    return this.price(engine.id)?.inputPrice !== undefined;
  }

  /** What is known of an engine's price. */
  price(engine: string): ModelView | undefined {
    const listed = Object.values(this.listings).flatMap((listing) => (listing.state === 'listed' ? listing.models : []));
    return [...(this.settings?.models ?? []), ...listed].find((model) => model.engine === engine);
  }

  setKey(provider: string, key: string): Promise<HostError | undefined> {
    // A key that is gone when the program ends is not saved, and nothing says that it is.
    return this.#change(provider, () => this.host.setKey(provider, key), (status) => status.state === 'stored');
  }

  removeKey(provider: string): Promise<HostError | undefined> {
    return this.#change(provider, () => this.host.removeKey(provider));
  }

  async test(provider: string): Promise<void> {
    if (this.trials[provider]?.state === 'running') return;
    this.#note(provider, { state: 'running' });
    try {
      const { ok, message } = await this.host.testProvider(provider, this.#modelToTry(provider));
      this.#note(provider, { state: ok ? 'ok' : 'bad', message });
    } catch (cause) {
      this.#note(provider, { state: 'bad', message: hostError(cause).message });
    }
  }

  /** Asks a provider for its models. */
  async list(provider: string): Promise<void> {
    this.#list(provider, { state: 'asking' });
    try {
      this.#list(provider, { state: 'listed', models: await this.host.listModels(provider) });
    } catch (cause) {
      this.#list(provider, { state: 'failed', error: hostError(cause) });
    }
  }

  /** The engines of a provider that are offered, the usual one first. */
  offered(provider: string): EngineChoice[] {
    return (this.settings?.engines ?? []).filter((engine) => engineOrigin(engine.id) === provider);
  }

  /** Whether an engine is offered for as long as there is a key for its vendor. */
  isUsual(engine: string): boolean {
    const origin = engineOrigin(engine);
    return origin !== undefined && !origin.startsWith('endpoint:') && this.offered(origin)[0]?.id === engine;
  }

  /** Offers an engine beside the usual ones, or no longer. */
  offer(engine: string, isOffered: boolean): Promise<HostError | undefined> {
    // One after the other: each choice begins from what the one before came to.
    const next = this.#offering.then(async () => {
      const { settings } = this;
      if (!settings) return undefined;
      const others = settings.engines
        .map(({ id }) => id)
        .filter((id) => id !== engine && !isTracer(id) && !this.isUsual(id));
      return this.#attempt(async () => {
        const engines = await this.host.chooseEngines(isOffered ? [...others, engine] : others);
        this.settings = { ...(this.settings ?? settings), engines };
        this.onengines(engines);
      });
    });
    this.#offering = next;
    return next;
  }

  /** The endpoint as it is kept now, or why it is not. */
  async saveEndpoint(endpoint: SavedEndpoint): Promise<SavedEndpoint | HostError> {
    let saved = endpoint;
    const refused = await this.#change(`endpoint:${endpoint.id}`, async () => {
      saved = await this.host.saveEndpoint(endpoint);
    });
    return refused ?? saved;
  }

  removeEndpoint(id: string): Promise<HostError | undefined> {
    return this.#change(`endpoint:${id}`, () => this.host.removeEndpoint(id));
  }

  saveCap(capUsd: number): Promise<HostError | undefined> {
    return this.#attempt(async () => {
      await this.host.saveSpendCap(capUsd);
      if (this.settings) this.settings = { ...this.settings, spendCapUsd: capUsd };
    });
  }

  /** Switches the making of pictures on or off and chooses its model. */
  saveImages(isOn: boolean, model: string): Promise<HostError | undefined> {
    return this.#attempt(async () => {
      const images = await this.host.saveImageSettings(isOn, model);
      if (this.settings) this.settings = { ...this.settings, images };
    });
  }

  /** Some servers list nothing: a model by name proves them. */
  #modelToTry(provider: string): string | undefined {
    const id = provider.replace(/^endpoint:/, '');
    const deployment = this.settings?.endpoints.find((endpoint) => endpoint.id === id)?.azure?.deployment;
    return deployment ?? this.offered(provider)[0]?.id.replace(/^[^:]*:/, '');
  }

  /** A change after which what was found of the provider before no longer holds. */
  async #change<T>(provider: string, act: () => Promise<T>, isSaved?: (done: T) => boolean): Promise<HostError | undefined> {
    const refused = await this.#attempt(act, isSaved);
    if (refused) return refused;
    this.trials = without(this.trials, provider);
    this.listings = without(this.listings, provider);
    await this.load();
    return undefined;
  }

  async #attempt<T>(act: () => Promise<T>, isSaved: (done: T) => boolean = () => true): Promise<HostError | undefined> {
    try {
      const done = await act();
      this.hasSaved = isSaved(done);
      return undefined;
    } catch (cause) {
      return hostError(cause);
    }
  }

  #note(provider: string, trial: Trial): void {
    this.trials = { ...this.trials, [provider]: trial };
  }

  #list(provider: string, listing: Listing): void {
    this.listings = { ...this.listings, [provider]: listing };
  }
}

function without<T>(all: Readonly<Record<string, T>>, name: string): Record<string, T> {
  const rest = { ...all };
  Reflect.deleteProperty(rest, name);
  return rest;
}
