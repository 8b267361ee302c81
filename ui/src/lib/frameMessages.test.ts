import { expect, it } from 'vitest';
import { frameClaim } from './frameMessages';

const rect = { x: 1, y: -2, w: 30, h: 4.5 };
const sides = ['1px', '2px', '3px', '4px'];
const look = { color: 'a', ground: 'b', behind: 'c', family: 'd', size: 'e', weight: 'f', align: 'g', radius: 'h', margin: sides, padding: sides, picture: [640, 480] };
const said = { k: 'pick', id: 3, rect, at: 17, made: false, kth: 0, of: 1, version: 'abc', look };

it('takes an element that a frame tells of, and nothing of it that is out of shape', () => {
  const nowhere = { rect, isMade: false, kth: 0, of: 1, version: 'abc' };
  const plain = { ...nowhere, at: 17 };
  const whole = { ...plain, look };
  const long = 'x'.repeat(301);
  expect([
    frameClaim(said),
    frameClaim({ k: 'pick', id: 3 }),
    frameClaim({ ...said, id: 'three' }),
    frameClaim({ ...said, rect: { ...rect, w: Number.NaN } }),
    frameClaim({ ...said, rect: { ...rect, w: 1e9 } }),
    frameClaim({ ...said, look: { ...look, family: long } }),
    frameClaim({ ...said, look: { ...look, margin: ['1px'] } }),
    frameClaim({ ...said, look: null, at: '../etc/passwd' }),
    frameClaim({ ...said, look: null, at: 1.5 }),
    frameClaim({ ...said, look: null, at: -4, version: long }),
  ]).toEqual([
    { k: 'pick', id: 3, hit: whole },
    { k: 'pick', id: 3 },
    undefined,
    { k: 'pick', id: 3 },
    { k: 'pick', id: 3 },
    { k: 'pick', id: 3, hit: plain },
    { k: 'pick', id: 3, hit: plain },
    { k: 'pick', id: 3, hit: nowhere },
    { k: 'pick', id: 3, hit: nowhere },
    { k: 'pick', id: 3, hit: { rect, isMade: false, kth: 0, of: 1 } },
  ]);
});
