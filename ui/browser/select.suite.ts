import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { calls, finishedFrame, make, press, stageFrame, status } from './steps';
import { TestWindow } from './window';

const FAST = 'speed=60&recent=0';
let shell: TestWindow;
beforeAll(async () => {
  shell = await TestWindow.start();
});
afterAll(() => shell.stop());

const inspector = (page: Page) => page.getByRole('complementary', { name: 'Inspector' });
const glass = (page: Page) => page.getByRole('application');
const chosen = (page: Page) => inspector(page).locator('[aria-current]');

async function selecting(options = {}, query = FAST): Promise<{ page: Page; faults: string[] }> {
  const opened = await shell.open(query, options);
  const { page } = opened;
  await make(page);
  await status(page, 'Done');
  await finishedFrame(page);
  await press(page, 'Select');
  await glass(page).waitFor();
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  return opened;
}

/** Where an element of the page is seen: the stage shows the page smaller than it is. */
async function seenBox(page: Page, selector: string): Promise<number[]> {
  const sheet = await page.locator('.page iframe.front').last().boundingBox();
  const frame = await stageFrame(page);
  const own = await frame.locator(selector).first().evaluate((element) => {
    const { x, y, width, height } = element.getBoundingClientRect();
    return [x, y, width, height];
  });
  const inner = await frame.evaluate(() => document.documentElement.clientWidth);
  if (!sheet) throw new Error('There is no page on the stage.');
  const scale = sheet.width / inner;
  return own.map((value, n) => Math.round(value * scale + ([sheet.x, sheet.y][n] ?? 0)));
}

async function middleOf(page: Page, selector: string): Promise<[number, number]> {
  const [x = 0, y = 0, width = 0, height = 0] = await seenBox(page, selector);
  return [x + width / 2, y + height / 2];
}

const boxOf = async (page: Page, selector: string) => {
  const box = await page.locator(selector).boundingBox();
  return box && [box.x, box.y, box.width, box.height].map(Math.round);
};

describe('selecting', () => {
  it('outlines what is under the pointer and selects what is clicked, without a word to the page', async () => {
    const { page, faults } = await selecting();
    const frame = await stageFrame(page);
    await frame.evaluate(() => {
      const heard: string[] = [];
      Object.assign(window, { heard });
      for (const kind of ['pointermove', 'mousemove', 'click']) addEventListener(kind, () => heard.push(kind), true);
    });
    const [x, y] = await middleOf(page, 'h1');
    await page.mouse.move(x, y);
    await page.locator('.box.hover').waitFor();
    const wanted = await seenBox(page, 'h1');
    await page.mouse.click(x, y);
    await chosen(page).waitFor();
    const seen = [await boxOf(page, '.box.chosen'), await chosen(page).textContent(), await frame.evaluate('heard'), faults];
    expect(seen).toEqual([wanted, expect.stringMatching(/^\s*h1/), [], []]);
    await page.close();
  });

  it('changes the text of an element by hand as a version that can be undone, and keeps it selected', async () => {
    const { page, faults } = await selecting();
    await page.mouse.click(...(await middleOf(page, 'h1')));
    const field = inspector(page).getByRole('textbox', { name: 'Text', exact: true });
    const before = await field.inputValue();
    await field.fill('Bowls by hand');
    await field.press('Enter');
    await page.locator('.version', { hasText: 'Version 2' }).waitFor();
    const read = async () => (await (await stageFrame(page)).locator('h1').textContent())?.trim();
    await expect.poll(read).toBe('Bowls by hand');
    await expect.poll(() => field.inputValue()).toBe('Bowls by hand');
    await press(page, /^Undo/);
    await expect.poll(read).toContain(before.slice(0, 8));
    const [given] = await calls(page, 'changeElement');
    expect([given, faults]).toMatchObject([[{ path: 'index.html', reach: 'one', change: { kind: 'text', which: 'whole', text: 'Bowls by hand' } }], []]);
    await page.close();
  });

  it('says why a change was refused and keeps what was selected', async () => {
    const { page } = await selecting({}, `${FAST}&edit=refused`);
    await page.mouse.click(...(await middleOf(page, 'h1')));
    const field = inspector(page).getByRole('textbox', { name: 'Text', exact: true });
    await field.fill('Bowls');
    await field.press('Enter');
    await inspector(page).getByRole('alert').filter({ hasText: 'The page has changed' }).waitFor();
    expect([await chosen(page).count(), await page.locator('.version').textContent()]).toEqual([1, 'Version 1']);
    await page.close();
  });

  it('works by the keyboard alone and is left with Escape', async () => {
    const { page, faults } = await selecting();
    await press(page, 'Select Esc');
    await page.keyboard.press('Enter');
    await glass(page).waitFor();
    await page.keyboard.press('Enter');
    await chosen(page).waitFor();
    const first = await chosen(page).textContent();
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => chosen(page).textContent()).not.toBe(first);
    const around = await chosen(page).textContent();
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => chosen(page).textContent()).not.toBe(around);
    await page.keyboard.press('Escape');
    await glass(page).waitFor({ state: 'detached' });
    expect([await inspector(page).count(), faults]).toEqual([0, []]);
    await page.close();
  });

  it('follows the page when it is scrolled under the glass and shown at another width', async () => {
    const { page, faults } = await selecting();
    await page.mouse.click(...(await middleOf(page, 'h1')));
    await chosen(page).waitFor();
    const isOn = async (selector: string) =>
      JSON.stringify(await boxOf(page, '.box.chosen')) === JSON.stringify(await seenBox(page, selector));
    await page.mouse.wheel(0, 120);
    await expect.poll(async () => (await stageFrame(page)).evaluate(() => window.scrollY)).toBeGreaterThan(0);
    await expect.poll(() => isOn('h1')).toBe(true);
    await press(page, '768');
    await expect.poll(() => isOn('h1')).toBe(true);
    expect(faults).toEqual([]);
    await page.close();
  });

  it('tells a model which element the words are about, until it is dropped', async () => {
    const { page, faults } = await selecting({}, 'speed=60&recent=0&scenario=models&engines=2');
    await page.mouse.click(...(await middleOf(page, '.card')));
    await page.locator('.talk .element').waitFor();
    await page.getByRole('textbox', { name: 'Message' }).fill('Line it up');
    await press(page, 'Send');
    await page.locator('.talk .element').waitFor({ state: 'detached' });
    await expect.poll(async () => (await calls(page, 'startRun')).length).toBe(2);
    const [, [request]] = (await calls(page, 'startRun')) as [unknown, [{ text: string; selected: { path: string; pick: { at: number } } }]];
    expect([request.text, request.selected.path, request.selected.pick.at > 0, faults]).toEqual(['Line it up', 'index.html', true, []]);
    await page.close();
  });

  it('shares the side pane with the conversation where there is little room', async () => {
    const { page, faults } = await selecting({ width: 900, height: 600 });
    await page.mouse.click(...(await middleOf(page, 'h1')));
    await chosen(page).waitFor();
    await press(page, 'Conversation');
    await inspector(page).waitFor({ state: 'detached' });
    await press(page, 'Inspector');
    await inspector(page).waitFor();
    expect([await page.getByRole('textbox', { name: 'Message' }).isVisible(), faults]).toEqual([true, []]);
    await page.close();
  });
});
