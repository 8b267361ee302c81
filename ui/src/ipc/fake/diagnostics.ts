import type { Host } from '../host';
import type { DiagnosticsFile } from '../types';

const text = (name: string, words: string): DiagnosticsFile => ({ name, bytes: words.length, text: words });

const LOG = [
  '2026-11-30T08:00:00.123Z INFO studio: the program begins version=0.1.0 system=linux processor=x86_64',
  '2026-11-30T08:02:41.870Z INFO studio: a run begins run=0190f3b2 variants=2',
  '2026-11-30T08:03:12.004Z WARN studio: the keychain gave no key state=Locked',
].join('\n');

/** Diagnostics of the scripted host: `?diagnostics=broken&save=cancelled`. */
export function fakeDiagnostics(asked: URLSearchParams): Pick<Host, 'gatherDiagnostics' | 'saveDiagnostics'> {
  return {
    gatherDiagnostics: async ({ pictures, prompts, paths }) => {
      if (asked.get('diagnostics') === 'broken') throw { code: 'storage', message: 'The history could not be opened. Its file is locked by another program.' };
      return [
        text('about.txt', `What this file holds, to find a fault in Facsimile.\nIt was not sent anywhere. It holds no keys.\nIt holds ${pictures ? '' : 'no '}pictures.`),
        text('program.json', '{\n  "program": "Facsimile",\n  "version": "0.1.0",\n  "system": "linux"\n}'),
        text('settings.json', '{\n  "keysSet": ["anthropic"]\n}'),
        text('history.json', '{\n  "schema": 2,\n  "rows": { "projects": 12, "runs": 31 }\n}'),
        text('endings.json', '{\n  "lastThatDidNotSucceed": []\n}'),
        text('log.txt', LOG),
        ...(paths ? [text('paths.json', '{\n  "dataFolder": "/home/maker/.local/share/design.facsimile.desktop"\n}')] : []),
        ...(prompts ? [text('prompts.json', '[\n  "Make the header calmer"\n]')] : []),
        ...(pictures ? [{ name: 'pictures/1.png', bytes: 48_211 }] : []),
      ];
    },
    saveDiagnostics: async () => {
      if (asked.get('save') === 'refused') throw { code: 'storage', message: '/media/full/facsimile-diagnostics.zip could not be written (no space left on device); choose another place' };
      return asked.get('save') === 'cancelled' ? null : '/home/maker/Desktop/facsimile-diagnostics.zip';
    },
  };
}
