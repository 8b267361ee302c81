import type { EngineChoice, ImageSettings, SavedEndpoint } from '../ipc/types';

const VENDOR_HOSTS: Readonly<Record<string, string>> = {
  anthropic: 'api.anthropic.com',
  openai: 'api.openai.com',
  gemini: 'generativelanguage.googleapis.com',
  replicate: 'api.replicate.com',
};

/** The host of a vendor, by its id or what people call it; the name itself where it is not known. */
export const hostOfVendor = (vendor: string): string => VENDOR_HOSTS[vendor.toLowerCase()] ?? vendor;

/** Whether an engine is the built-in one. */
export const isTracer = (engine: string): boolean => engine === 'offline' || engine.startsWith('offline:');

/** Whose key an engine uses: a vendor or `endpoint:<id>`; none for the tracer. */
export function engineOrigin(engine: string): string | undefined {
  if (isTracer(engine)) return undefined;
  const place = engine.split(':', 1)[0] ?? '';
  const slash = place.indexOf('/');
  return slash < 0 ? place : `endpoint:${place.slice(slash + 1)}`;
}

/** The name of a model that is not offered any more. */
export const bareModel = (engine: string): string => engine.slice(engine.indexOf(':') + 1);

/** The host of an address, with its port where it has one. */
export function hostOf(address: string): string {
  try {
    return new URL(/^https?:\/\//i.test(address) ? address : `http://${address}`).host;
  } catch {
    return address;
  }
}

/** Who is asked for pictures; none while they are off or there is no key. */
export function imageVendorOf({ isOn, model, models }: ImageSettings): string | undefined {
  if (!isOn) return undefined;
  const withKey = models.filter(({ hasKey }) => hasKey);
  return (withKey.find(({ id }) => id === model) ?? withKey[0])?.vendor;
}

/** Makers of pictures whose price nobody knows, to be asked about like an engine; none while no such service is asked. */
export function unpricedPictures(images: ImageSettings | undefined): EngineChoice[] {
  const vendor = images?.unpriced;
  return vendor === undefined ? [] : [{ id: `pictures:${vendor}`, label: vendor, ready: true, local: false }];
}

/** Where a run with these engines sends what it is given, each host once; none for what works on this computer. */
export function hostsOf(engines: readonly EngineChoice[], endpoints: readonly SavedEndpoint[]): string[] {
  const hosts = engines.filter((engine) => !engine.local && !isTracer(engine.id)).map((engine) => {
    const origin = engineOrigin(engine.id) ?? '';
    const own = endpoints.find(({ id }) => origin === `endpoint:${id}`);
    // Before the endpoints are known, and for the only one there is, the engine's name has to do.
    return own ? hostOf(own.address) : (VENDOR_HOSTS[origin] ?? engine.label);
  });
  return [...new Set(hosts)];
}
