import type { Host } from '../host';
import type { Storage } from '../types';

/** A data folder of which some parts can be cleared. */
export function fakeStorage(hasDamaged: boolean): Pick<Host, 'storage' | 'clearStorage'> {
  let storage: Storage = {
    folder: '/home/maker/.local/share/design.facsimile.desktop',
    parts: [
      { kind: 'history', files: 2, bytes: 18_400_000, canClear: false },
      { kind: 'assets', files: 214, bytes: 96_200_000, canClear: false },
      { kind: 'pictures', files: 31, bytes: 2_900_000, canClear: true },
      { kind: 'backups', files: 1, bytes: 12_100_000, canClear: true },
      { kind: 'logs', files: 2, bytes: 41_000, canClear: false },
      { kind: 'damaged', files: hasDamaged ? 2 : 0, bytes: hasDamaged ? 17_900_000 : 0, canClear: hasDamaged },
    ],
  };
  return {
    storage: async () => storage,
    clearStorage: async (kind) => {
      const parts = storage.parts.map((part) => (part.kind === kind ? { ...part, files: 0, bytes: 0, canClear: false } : part));
      storage = { ...storage, parts };
      return storage;
    },
  };
}
