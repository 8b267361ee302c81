import { afterAll, beforeAll, expect, it } from 'vitest';
import { make, press, status } from './steps';
import { TestWindow } from './window';

let shell: TestWindow;
beforeAll(async () => {
  shell = await TestWindow.start();
});
afterAll(() => shell.stop());

it('lists what was cut out with its name and size, and names what was not', async () => {
  const { page, faults } = await shell.open('speed=40&recent=0');
  await make(page);
  await status(page, 'Done');
  await press(page, /^Worked through/);
  const list = page.getByRole('list', { name: 'Pictures of this step' });
  await list.waitFor();
  const rows = await list.getByRole('listitem').evaluateAll((items) =>
    items.map((item) => {
      const picture = item.querySelector('img');
      const words = [...item.querySelectorAll('.words > *')].map((part) => part.textContent);
      return [...words, picture ? picture.complete && picture.naturalWidth > 0 : 'no picture'];
    }),
  );
  expect([rows, faults]).toEqual([
    [
      ['round vase with a blue glaze', '300 × 220', true],
      ['tall jug', '300 × 220', true],
      ['bowl', '300 × 220', true],
      ['portrait of the potter', '96 × 96', true],
      ['logo in the footer', 'not cut out', 'no picture'],
    ],
    [],
  ]);
  await page.close();
});
