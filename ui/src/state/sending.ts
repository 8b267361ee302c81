import type { EngineChoice, InputSummary, LikelyCost, SavedEndpoint } from '../ipc/types';
import { hostOfVendor, hostsOf, isTracer } from '../lib/engines';
import { say, sayBytes, sayMoney, sayPictures } from './words.svelte';

export interface Send {
  engines: readonly EngineChoice[];
  inputs: readonly InputSummary[];
  endpoints: readonly SavedEndpoint[];
  /** None while it is not known; 0 for no cap. */
  capUsd: number | undefined;
  unpriced: readonly EngineChoice[];
  /** None while it is not known. */
  likely?: LikelyCost | undefined;
  /** Who makes pictures for a model; none while no service is asked. */
  imageVendor?: string | undefined;
  /** A turn can go without a picture; a new page waits for one. */
  isTurn: boolean;
}

/** What leaves this computer, said before anything does. */
export interface Sending {
  isLocal: boolean;
  lead: string;
  rest: string;
}

export function sendingOf(send: Send): Sending {
  const hosts = [...new Set([...hostsOf(send.engines, send.endpoints), ...imageHosts(send)])];
  if (hosts.length === 0) return { isLocal: true, lead: say('send.promise'), rest: ` ${localRest(send.engines)}` };
  return { isLocal: false, lead: lead(send), rest: say('send.to', { hosts: sayList(hosts) }) + about(send) + money(send) };
}

/** The tracer makes no pictures; whatever model works may ask for some. */
const imageHosts = ({ engines, imageVendor }: Send): string[] =>
  imageVendor !== undefined && engines.some(({ id }) => !isTracer(id)) ? [hostOfVendor(imageVendor)] : [];

/** Names in a row: “a, b and c”. */
export function sayList(names: readonly string[]): string {
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : names.slice(0, -1).join(say('list.comma')) + say('list.and') + last;
}

/** The name of an engine in the window's language. */
export const engineName = (engine: EngineChoice): string => (isTracer(engine.id) ? say('setup.offline') : engine.label);

/** The engines of a run in one line, each once. */
export const sayEngines = (engines: readonly EngineChoice[]): string => sayList([...new Set(engines.map(engineName))]);

function lead({ inputs, isTurn }: Send): string {
  if (inputs.length === 0) return say(isTurn ? 'send.bold.words' : 'send.bold.some');
  const bytes = inputs.reduce((sum, input) => sum + input.bytes, 0);
  return say(isTurn ? 'send.bold.turn' : 'send.bold.pictures', { pictures: sayPictures(inputs.length), size: sayBytes(bytes) });
}

function money({ capUsd, unpriced }: Send): string {
  if (capUsd === undefined) return '';
  if (capUsd === 0) return say('send.noCap');
  return unpriced.length > 0 ? say('send.unheld', { model: sayEngines(unpriced) }) : say('send.capped', { cap: sayMoney(capUsd) });
}

function about({ likely }: Send): string {
  if (likely === undefined || likely.highUsd === 0) return '';
  return say('send.about', { low: sayMoney(likely.lowUsd), high: sayMoney(likely.highUsd) });
}

const localRest = (engines: readonly EngineChoice[]): string =>
  engines.every(({ id }) => isTracer(id)) ? say('send.promise.rest') : say('send.works', { engine: sayEngines(engines) });
