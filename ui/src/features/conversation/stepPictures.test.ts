import { expect, it } from 'vitest';
import type { StepRow } from '../../state/activity';
import { picturesOf, unresolvedOf } from './stepPictures';

const row = (output: unknown): StepRow => ({
  kind: 'tool',
  key: 'k',
  eventId: 'e',
  name: 'extract_assets',
  state: 'done',
  input: {},
  output,
  struck: false,
}) as unknown as StepRow;

it('finds the pictures with their sizes and the names of what is missing, whatever stands beside them', () => {
  const output = {
    artifacts: [
      { kind: 'image', asset: 'assets/a.png', label: 'logo', width: 60, height: 40 },
      { kind: 'file', asset: 'assets/b.css', label: 'sheet' },
      { kind: 'image', asset: 'assets/c.png' },
      { kind: 'image', label: 'without an asset' },
      null,
    ],
    unresolved: [{ label: 'a door', why: 'nothing stands there' }, {}, 7],
  };
  expect([picturesOf(row(output)), unresolvedOf(row(output))]).toEqual([
    [
      { asset: 'assets/a.png', label: 'logo', size: { width: 60, height: 40 } },
      { asset: 'assets/c.png', label: '', size: undefined },
    ],
    ['a door', ''],
  ]);
});

it('finds nothing in what an earlier version wrote, and in other rows', () => {
  const outputs = [row({ artifacts: 'none', unresolved: 2 }), row('words'), row(null), { ...row({}), kind: 'thought' } as unknown as StepRow];
  expect(outputs.map((one) => [picturesOf(one), unresolvedOf(one)])).toEqual(outputs.map(() => [[], []]));
});
