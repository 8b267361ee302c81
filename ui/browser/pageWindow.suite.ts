import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FakePageControl } from '../src/ipc/fake/pageWindow';
import { calls, finishedFrame, held, make, press, stageFrame, status } from './steps';
import { TestWindow } from './window';

const FAST = 'speed=40&recent=0';
const OPEN = 'Open in its own window';
let shell: TestWindow;
beforeAll(async () => {
  shell = await TestWindow.start();
});
afterAll(() => shell.stop());

const openPage = (state: string, theme: 'light' | 'dark' = 'light') =>
  shell.open(`state=${state}`, { theme, document: 'page.html', reducedMotion: true, ...(theme === 'dark' ? { width: 400, height: 600 } : {}) });

/** Tells the window of the page something. */
const tell = (page: Page, act: (fake: FakePageControl) => void) => page.evaluate(`(${act.toString()})(window.facsimileFakePage)`);

async function heading(page: Page): Promise<string | null | undefined> {
  const frame = await finishedFrame(page);
  return frame.evaluate(() => document.querySelector('h1, h2')?.textContent?.trim());
}

describe('the button', () => {
  it('opens the window by keyboard, tells it of every change and leaves the main window as it is', async () => {
    const { page, faults } = await shell.open(FAST);
    await make(page);
    await status(page, 'Done');
    const button = page.getByRole('button', { name: OPEN });
    await page.getByRole('button', { name: 'Reload page' }).focus();
    await page.keyboard.press('Tab');
    const hasFocus = await button.evaluate((element) => element === document.activeElement);
    await page.locator('.tip', { hasText: OPEN }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => (window as unknown as { facsimileFake: { calls: { name: string }[] } }).facsimileFake.calls.some(({ name }) => name === 'openPageWindow'));
    await press(page, 'Reload page');
    await finishedFrame(page);
    const [opened] = await calls(page, 'openPageWindow');
    const told = (await calls(page, 'showPage')).at(-1);
    const shown = { project: 'Kestrel Kiln', version: 'Version 1', theme: 'system', language: 'system' };
    const open = { of: { runId: 'run-1', variantIndex: 0 }, path: 'index.html', isWriting: false };
    expect([hasFocus, opened, told, faults]).toEqual([true, [{ ...shown, page: { ...open, loads: 0 } }], [{ ...shown, page: { ...open, loads: 1 } }], []]);
    await page.close();
  });

  it('tells nobody anything while there is no such window', async () => {
    const { page } = await shell.open(FAST);
    await make(page);
    await status(page, 'Done');
    expect((await calls(page, 'showPage')).length).toBe(1);
    await page.close();
  });

  it('is there while a page is written and says why it is not where there is none', async () => {
    const { page } = await shell.open(`${FAST}&hold=half`);
    await make(page);
    await held(page);
    const writing = await page.getByRole('button', { name: OPEN }).getAttribute('aria-disabled');
    await page.close();
    const { page: other } = await shell.open(`${FAST}&scenario=words`);
    await make(other);
    await status(other, 'No page');
    const none = await other.getByRole('button', { name: OPEN }).getAttribute('aria-disabled');
    await other.getByRole('button', { name: OPEN }).hover();
    await other.locator('.tip', { hasText: 'No page here' }).waitFor();
    expect([writing, none]).toEqual(['false', 'true']);
    await other.close();
  });

  it('says why the window did not open', async () => {
    const { page } = await shell.open(`${FAST}&window=refused`);
    await make(page);
    await status(page, 'Done');
    await press(page, OPEN);
    await page.getByText('The page did not open in a window').waitFor();
    await page.close();
  });
});

describe('the window of the page', () => {
  it('shows the page as large as it is, and its size', async () => {
    const { page, faults } = await openPage('done');
    const frame = await finishedFrame(page);
    const inner = await frame.evaluate(() => [innerWidth, innerHeight]);
    const bar = await page.locator('header').innerText();
    expect([inner, bar.includes('Kestrel Kiln') && bar.includes('Option 1') && bar.includes('1440 × 860'), await page.title(), faults]).toEqual([[1440, 860], true, 'Kestrel Kiln, Option 1', []]);
    await page.close();
  });

  it('follows to another option, to a version, and to nothing', async () => {
    const { page, faults } = await openPage('done');
    const first = await heading(page);
    await tell(page, (fake) => fake.view({ version: 'Option 2' }));
    await tell(page, (fake) => fake.open({ of: { runId: 'run-1', variantIndex: 1 } }));
    await page.locator('.page iframe.front[src*="shop-b"]').waitFor();
    const second = await page.title();
    await tell(page, (fake) => fake.open({ of: { versionId: 'v9' } }));
    await page.locator('.page iframe.front[src*="/v9/"]').waitFor();
    await tell(page, (fake) => fake.view({ project: undefined, version: undefined, page: undefined }));
    await page.getByText('No page is open').waitFor();
    const frames = await page.locator('iframe').count();
    await tell(page, (fake) => fake.view({ project: 'Kestrel Kiln', version: 'Option 1' }));
    await tell(page, (fake) => fake.open({}));
    expect([await heading(page), second, frames, faults]).toEqual([first, 'Kestrel Kiln, Option 2', 0, []]);
    await page.close();
  });

  it('writes the page in place and swaps the finished one in', async () => {
    const { page, faults } = await openPage('writing');
    await page.getByText('Writing', { exact: true }).waitFor();
    await page.locator('.page iframe.front[src*="/stream/"]').waitFor();
    const half = await (await stageFrame(page)).evaluate(() => document.body.innerHTML.length);
    await tell(page, (fake) => fake.open({}));
    const whole = await (await finishedFrame(page)).evaluate(() => document.body.innerHTML.length);
    expect([half > 1000, whole > half, faults]).toEqual([true, true, []]);
    await page.close();
  });

  it('loads the page anew when it was, and takes theme and language along', async () => {
    const { page } = await openPage('done');
    await finishedFrame(page);
    await page.evaluate(() => document.querySelector('iframe')?.setAttribute('data-old', ''));
    await tell(page, (fake) => fake.open({ loads: 1 }));
    await page.locator('iframe[data-old]').waitFor({ state: 'detached' });
    await tell(page, (fake) => fake.view({ theme: 'dark', language: 'zh-CN' }));
    await page.getByRole('button', { name: '重新载入页面' }).waitFor();
    expect(await page.evaluate(() => [document.documentElement.dataset.theme, document.documentElement.lang])).toEqual(['dark', 'zh-CN']);
    await page.close();
  });

  it('stops a page that floods it and shows it again when asked', async () => {
    const { page } = await openPage('flood');
    await page.getByText('It sent more messages than a page should.').waitFor();
    const left = await page.locator('iframe').count();
    // It floods again at once: the frame is there for a moment only.
    const again = page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          new MutationObserver(() => document.querySelector('iframe') && resolve(1)).observe(document.body, { subtree: true, childList: true });
        }),
    );
    await page.getByRole('group').getByRole('button', { name: 'Reload page' }).click();
    expect([left, await again]).toEqual([0, 1]);
    await page.close();
  });
});

for (const theme of ['light', 'dark'] as const) {
  describe(`the window of the page in ${theme}`, () => {
    for (const state of ['done', 'writing', 'waiting', 'frozen', 'flood', 'closed', 'nothing', 'lost']) {
      it(`has no fault: ${state}`, async () => {
        const { page, faults } = await openPage(state, theme);
        await page.locator('.screen').waitFor();
        if (state === 'flood') await page.getByText('It sent more messages').waitFor();
        await page.evaluate(axe.source);
        const { violations } = (await page.evaluate(
          `axe.run(document, { iframes: false, runOnly: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] } })`,
        )) as axe.AxeResults;
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        expect([violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 140)}`), overflow, faults]).toEqual([[], 0, []]);
        await page.close();
      });
    }
  });
}
