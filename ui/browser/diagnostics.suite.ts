import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { calls, press, settings } from './steps';
import { TestWindow } from './window';

let shell: TestWindow;
beforeAll(async () => {
  shell = await TestWindow.start();
});
afterAll(() => shell.stop());

describe('diagnostics', () => {
  it('are read before they are saved, and hold more only with a tick', async () => {
    const { page, faults } = await shell.open('recent=0');
    await settings(page);
    await press(page, 'Gather…');
    const sheet = page.getByRole('dialog', { name: 'Diagnostics' });
    await sheet.getByRole('region', { name: 'about.txt' }).getByText('It holds no keys.').waitFor();
    const before = await sheet.getByRole('listitem').count();
    await sheet.getByLabel('The latest pictures').check();
    await sheet.getByRole('button', { name: /^pictures\/1\.png/ }).click();
    await sheet.getByText('A picture, as it was given.').waitFor();
    const after = await sheet.getByRole('listitem').count();
    await sheet.getByRole('button', { name: 'Save…' }).click();
    await page.getByText('/home/maker/Desktop/facsimile-diagnostics.zip').waitFor();
    const plain = { pictures: false, prompts: false, paths: false };
    expect([before, after, await calls(page, 'gatherDiagnostics'), await calls(page, 'saveDiagnostics'), faults]).toEqual([
      6,
      7,
      [[plain], [{ ...plain, pictures: true }]],
      [[]],
      [],
    ]);
    await page.close();
  });

  it('that cannot be gathered or saved say why and stay', async () => {
    const { page } = await shell.open('recent=0&save=refused');
    await settings(page);
    await press(page, 'Gather…');
    const sheet = page.getByRole('dialog', { name: 'Diagnostics' });
    await sheet.getByRole('region', { name: 'about.txt' }).waitFor();
    await sheet.getByRole('button', { name: 'Save…' }).click();
    await sheet.getByText(/could not be written .* choose another place\.$/).waitFor();
    await page.close();
    const broken = await shell.open('recent=0&diagnostics=broken');
    await settings(broken.page);
    await press(broken.page, 'Gather…');
    await broken.page.getByText('The history could not be opened.').waitFor();
    await broken.page.getByRole('button', { name: 'Save…' }).click({ force: true });
    expect(await calls(broken.page, 'saveDiagnostics')).toEqual([]);
    await broken.page.close();
  });
});
