import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FakeControl } from '../src/ipc/fake';
import { calls, finishedFrame, held, make, press, settings, status, takeSample, turn, twoOptions } from './steps';
import { TestWindow } from './window';

const FAST = 'speed=60&recent=0&scenario=models&engines=2';
let shell: TestWindow;
beforeAll(async () => {
  shell = await TestWindow.start();
});
afterAll(() => shell.stop());

const nodes = (page: Page) => page.getByRole('treeitem');
const announced = (page: Page) => page.locator('.top-bar [role=status]').textContent();
const faultsOf = async (page: Page): Promise<string[]> => {
  await page.evaluate(axe.source);
  const found = await page.evaluate(() => (window as unknown as { axe: typeof axe }).axe.run(document, { iframes: false }));
  return found.violations.map(({ id, nodes: at }) => `${id}: ${at.map(({ target }) => target.join(' ')).join(', ')}`);
};

/** One version of a turn, and one of the turn that followed. */
async function twoTurns(page: Page): Promise<void> {
  await make(page);
  await status(page, 'Done');
  await page.locator('.talk textarea').fill('Real pictures');
  await press(page, 'Send');
  await page.getByText('Real pictures').first().waitFor();
  await status(page, 'Done');
  await page.locator('.version', { hasText: 'Version 2' }).waitFor();
}

describe('the history', () => {
  it('is walked, restored, named and compared by the keyboard alone', async () => {
    const { page, faults } = await shell.open(FAST);
    await twoTurns(page);
    await press(page, 'History');
    await nodes(page).nth(1).focus();
    await page.keyboard.press('ArrowLeft');
    const chosen = await page.evaluate(() => document.activeElement?.textContent);
    await page.keyboard.press('Enter');
    await page.locator('[role=treeitem][aria-current]', { hasText: 'Version 1' }).waitFor();
    await page.keyboard.press('Control+z');
    await page.locator('[role=treeitem][aria-current]', { hasText: 'Version 2' }).waitFor();
    const undone = await announced(page);
    await page.keyboard.press('Control+Shift+Z');
    await page.locator('[role=treeitem][aria-current]', { hasText: 'Version 1' }).waitFor();
    await page.keyboard.press('Control+z');
    await page.locator('[role=treeitem][aria-current]', { hasText: 'Version 2' }).waitFor();
    await nodes(page).first().focus();
    await page.keyboard.press('Home');
    await page.getByRole('button', { name: 'Restore' }).focus();
    await page.keyboard.press('Enter');
    await page.locator('[role=treeitem][aria-current]', { hasText: 'Version 3' }).waitFor();
    await page.getByRole('button', { name: 'Name it' }).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.type('Before the pictures');
    await page.keyboard.press('Enter');
    await page.locator('[role=treeitem]', { hasText: 'Before the pictures' }).waitFor();
    await page.getByRole('button', { name: 'Compare' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('These versions have the same files').waitFor();
    await page.getByRole('button', { name: 'Back to the tree' }).focus();
    await page.keyboard.press('Enter');
    expect({ chosen: chosen?.includes('Version 1'), undone, count: await nodes(page).count(), faults }).toEqual({
      chosen: true,
      undone: 'Undone: Version 1. Version 2 is open.',
      count: 3,
      faults: [],
    });
    await page.close();
  });

  it('shows a restored version in the place of the options and goes on from it', async () => {
    const { page, faults } = await shell.open(FAST);
    await twoTurns(page);
    await press(page, 'History');
    await nodes(page).first().click();
    await press(page, 'Restore');
    await page.locator('.version', { hasText: 'Version 3' }).waitFor();
    await press(page, 'Go on from here');
    const isWriting = await page.locator('.talk textarea').evaluate((field) => field === document.activeElement);
    await page.keyboard.type('z');
    await page.keyboard.press('Control+z');
    const heading = await (await finishedFrame(page)).locator('h1').textContent();
    const pressed = await page.locator('.strip [aria-pressed=true]').count();
    await press(page, 'Export');
    await page.getByRole('dialog').waitFor();
    expect({
      isWriting,
      heading,
      pressed,
      exported: (await calls(page, 'exportVersion')).length,
      undone: (await calls(page, 'undo')).length,
      faults,
    }).toEqual({ isWriting: true, heading: 'Slow clay for daily tables', pressed: 0, exported: 1, undone: 0, faults: [] });
    await page.close();
  });

  it('goes on from the option that is marked as open: the one that is seen', async () => {
    const { page, faults } = await shell.open(FAST);
    await takeSample(page);
    await twoOptions(page);
    await press(page, /^Make the page/);
    await status(page, 'Done');
    await page.keyboard.press('Alt+2');
    await page.locator('.version', { hasText: 'Version 2' }).waitFor();
    await press(page, 'History');
    const marked = await page.locator('[role=treeitem][aria-current]').textContent();
    const places = await nodes(page).evaluateAll((roots) => roots.map((root) => `${root.ariaPosInSet} of ${root.ariaSetSize}`));
    await nodes(page).first().click();
    await press(page, 'Go on from here');
    await page.locator('.version', { hasText: 'Version 1' }).waitFor();
    const shortcut = await page.locator('.strip [aria-pressed=true]').getAttribute('aria-keyshortcuts');
    expect({ marked: marked?.includes('Version 2'), places, shortcut, faults }).toEqual({ marked: true, places: ['1 of 2', '2 of 2'], shortcut: 'Alt+1', faults: [] });
    await page.close();
  });

  it('gives a name to the version it was asked for, whatever ends meanwhile', async () => {
    const { page, faults } = await shell.open(`${FAST}&hold=half`);
    const goOn = () => turn(page, (fake) => fake.go());
    await make(page);
    await held(page);
    await goOn();
    await status(page, 'Done');
    await page.locator('.talk textarea').fill('Real pictures');
    await press(page, 'Send');
    await held(page);
    await press(page, 'History');
    await press(page, 'Name it');
    await goOn();
    await page.locator('[data-version]').nth(1).waitFor();
    await page.keyboard.type('Clay');
    await page.keyboard.press('Enter');
    await page.locator('[role=treeitem]', { hasText: 'Clay' }).waitFor();
    const [named] = await calls(page, 'nameVersion');
    expect({ named: named?.slice(1), faults }).toEqual({ named: [expect.stringMatching(/-1$/), 'Clay'], faults: [] });
    await page.close();
  });

  it('shows pictures and scores as they come, and so does the strip', async () => {
    const { page, faults } = await shell.open(`${FAST}&camera=late`);
    await make(page);
    await status(page, 'Done');
    await press(page, 'History');
    await page.locator('aside').getByText('No picture was taken').waitFor();
    const before = await page.locator('.history img, .history .score').count();
    await turn(page, (fake) => fake.look());
    for (const place of ['.node', 'aside']) {
      await page.locator(`${place} img`).waitFor();
      await page.locator(`${place} .score`).waitFor();
    }
    await press(page, 'Preview');
    await page.locator('.card .score').waitFor();
    expect([before, faults]).toEqual([0, []]);
    await page.close();
  });

  it('shows an empty sheet for a picture that is gone', async () => {
    const { page, faults } = await shell.open('speed=60');
    await press(page, /^Plumbline/);
    await press(page, 'History');
    const picture = page.locator('.history img');
    await picture.first().waitFor();
    const before = await picture.count();
    await picture.evaluateAll((all) => all.forEach((one) => one.dispatchEvent(new Event('error'))));
    await page.locator('aside').getByText('No picture was taken').waitFor();
    const gone = await picture.count();
    const read = (await calls(page, 'history')).length;
    await settings(page);
    await press(page, 'Storage');
    await press(page, 'Clear: Previews of versions');
    await page.getByRole('dialog', { name: 'Clear Previews' }).getByRole('button', { name: 'Clear', exact: true }).click();
    await page.waitForFunction((times) => (window as unknown as { facsimileFake: FakeControl }).facsimileFake.calls.filter(({ name }) => name === 'history').length > times, read);
    expect([before, gone, faults]).toEqual([2, 0, []]);
    await page.close();
  });

  // S-58
  it('draws what is seen of 2,000 versions and scrolls to the last', async () => {
    const { page, faults } = await shell.open('speed=60&versions=2000');
    await press(page, /^Plumbline/);
    await press(page, 'History');
    await nodes(page).first().focus();
    const before = await nodes(page).count();
    await page.keyboard.press('End');
    await page.locator('aside h2', { hasText: 'Version 2000' }).waitFor();
    const isSeen = await page.locator('[data-version$="-2000"]').isVisible();
    await page.getByText('2000 versions').waitFor();
    expect({ before: before < 40, after: (await nodes(page).count()) < 40, isSeen, faults }).toEqual({ before: true, after: true, isSeen: true, faults: [] });
    await page.close();
  });

  it.each([
    ['light', ''],
    ['dark', '&lang=zh-CN'],
  ] as const)('has no fault of access in %s', async (theme, language) => {
    const { page } = await shell.open(`speed=60${language}`, { theme, width: 900, height: 600 });
    await press(page, /^Plumbline/);
    await press(page, language ? '历史' : 'History');
    await nodes(page).first().waitFor();
    const tree = await faultsOf(page);
    await press(page, language ? '对比' : 'Compare');
    await page.locator('.compare').waitFor();
    expect([tree, await faultsOf(page)]).toEqual([[], []]);
    await page.close();
  });
});
