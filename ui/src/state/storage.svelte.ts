import { hostError, type HostError } from '../ipc/error';
import type { Host } from '../ipc/host';
import type { Storage, StorageKind } from '../ipc/types';

/** What the data folder takes up, while the settings are open. */
export class StorageController {
  storage = $state.raw<Storage | undefined>();
  fault = $state.raw<HostError | undefined>();

  constructor(private readonly host: Pick<Host, 'storage' | 'clearStorage'>) {}

  readonly bytes = $derived((this.storage?.parts ?? []).reduce((sum, part) => sum + part.bytes, 0));

  async load(): Promise<void> {
    try {
      this.storage = await this.host.storage();
      this.fault = undefined;
    } catch (cause) {
      this.fault = hostError(cause);
    }
  }

  /** Takes a part away; gives why it was not. */
  async clear(kind: StorageKind): Promise<HostError | undefined> {
    try {
      this.storage = await this.host.clearStorage(kind);
      return undefined;
    } catch (cause) {
      return hostError(cause);
    }
  }
}
