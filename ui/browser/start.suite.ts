import axe from 'axe-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { calls, press, settings } from './steps';
import { TestWindow } from './window';

let shell: TestWindow;
beforeAll(async () => {
  shell = await TestWindow.start();
});
afterAll(() => shell.stop());

describe('the projects', () => {
  // S-58
  it('are twelve first, then all of five hundred, found by name and scrolled to the last', async () => {
    const { page, faults } = await shell.open('speed=40&recent=0&projects=500');
    const cards = page.locator('.recent .card');
    await cards.first().waitFor();
    const first = await cards.count();
    await press(page, 'Show all 500');
    await page.getByText('500 projects').waitFor();
    await page.locator('.all .card').first().waitFor();
    const drawn = await page.locator('.all .card').count();
    await page.locator('.all .box').evaluate((box) => box.scrollTo(0, box.scrollHeight));
    await page.getByRole('button', { name: /^Project 500/ }).waitFor();
    await page.getByRole('searchbox').fill('project 42');
    await page.getByText('11 projects').waitFor();
    await page.locator('.all .box').evaluate((box) => box.scrollTo(0, 0));
    await page.getByRole('button', { name: /^Project 42[^\d]/ }).first().waitFor();
    await page.evaluate(axe.source);
    const found = await page.evaluate(() => (window as unknown as { axe: typeof axe }).axe.run(document, { iframes: false }));
    await press(page, 'Back to the start');
    await cards.first().waitFor();
    expect([first, drawn < 120, found.violations.map(({ id }) => id), faults]).toEqual([12, true, [], []]);
    await page.close();
  });
});

describe('the settings', () => {
  it('mark the part that is seen, also when they are scrolled to their end at once', async () => {
    const { page, faults } = await shell.open('recent=0', { width: 900, height: 600 });
    await settings(page);
    await page.locator('.pages').evaluate((pages) => pages.scrollTo(0, pages.scrollHeight));
    await page.locator('nav [aria-current]', { hasNotText: 'Keys' }).waitFor();
    await press(page, 'Help');
    await page.locator('nav [aria-current]', { hasText: 'Help' }).waitFor();
    expect(faults).toEqual([]);
    await page.close();
  });
});

describe('the storage', () => {
  it('says where data lies, asks before it clears a part and then shows what is left', async () => {
    const { page, faults } = await shell.open('recent=0&damaged=1');
    await settings(page);
    await press(page, 'Storage');
    await page.getByText('/home/maker/.local/share/design.facsimile.desktop').waitFor();
    await press(page, 'Open folder');
    await press(page, 'Clear: Damaged copies');
    await page.getByRole('dialog', { name: 'Clear Damaged copies' }).waitFor();
    const before = await calls(page, 'clearStorage');
    await page.getByRole('dialog', { name: 'Clear Damaged copies' }).getByRole('button', { name: 'Clear', exact: true }).click();
    await page.getByRole('button', { name: 'Clear: Damaged copies' }).waitFor({ state: 'detached' });
    const focused = await page.waitForFunction(() => document.activeElement?.id);
    expect([before, await focused.jsonValue(), await calls(page, 'clearStorage'), await calls(page, 'reveal'), faults]).toEqual([
      [],
      'settings-storage',
      [['damaged']],
      [['/home/maker/.local/share/design.facsimile.desktop']],
      [],
    ]);
    await page.close();
  });

  // S-49
  it('is shown when a project was deleted of which a damaged copy is left', async () => {
    const { page } = await shell.open('damaged=1');
    await page.locator('.card', { hasText: 'Plumbline' }).locator('.more').click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('A damaged copy of the history is kept and may hold parts of it.').waitFor();
    await press(page, 'Show');
    await page.getByRole('button', { name: 'Clear: Damaged copies' }).waitFor();
    await page.close();
  });
});
