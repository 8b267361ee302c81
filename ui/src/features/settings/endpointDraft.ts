import type { PresetView, SavedEndpoint } from '../../ipc/types';

export const DIALECTS = ['chat', 'openai', 'anthropic', 'gemini', 'azure'] as const;
export type Dialect = (typeof DIALECTS)[number];

/** An endpoint while it is written: every field is a text. */
export interface EndpointDraft {
  name: string;
  dialect: Dialect;
  address: string;
  deployment: string;
  apiVersion: string;
}

/** The draft that a saved endpoint or a preset begins with. */
export function draftOf(saved: SavedEndpoint | undefined, preset: PresetView | undefined): EndpointDraft {
  if (saved) {
    const { deployment = '', apiVersion = '' } = saved.azure ?? {};
    const own = DIALECTS.find((dialect) => dialect === saved.provider) ?? 'chat';
    return { name: saved.name, dialect: saved.azure ? 'azure' : own, address: saved.address, deployment, apiVersion };
  }
  // An address with parts to fill in is a deployment at Azure: its parts have fields of their own.
  const isAzure = preset?.address.includes('{deployment}') ?? false;
  return {
    name: preset?.name ?? '',
    dialect: isAzure ? 'azure' : 'chat',
    address: isAzure ? '' : (preset?.address ?? ''),
    deployment: '',
    apiVersion: '',
  };
}

/** The endpoint that a draft describes. */
export function endpointOf(id: string, draft: EndpointDraft): SavedEndpoint {
  const { name, dialect, address, deployment, apiVersion } = draft;
  const isAzure = dialect === 'azure';
  return {
    id,
    name: name.trim(),
    provider: isAzure ? 'chat' : dialect,
    address: address.trim(),
    ...(isAzure ? { azure: { deployment: deployment.trim(), apiVersion: apiVersion.trim() } } : {}),
  };
}
