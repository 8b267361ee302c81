import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addPicture, finishedFrame, held, make, press, settings, status, takeSample, turn, twoOptions } from './steps';
import { TestWindow } from './window';

const FAST = 'speed=40&recent=0';
let shell: TestWindow;
beforeAll(async () => {
  shell = await TestWindow.start();
});
afterAll(() => shell.stop());

const done = async (page: Page) => {
  await make(page);
  await status(page, 'Done');
};

/** The editor colours its lines in idle time; an audit of a tree that still changes loses its way. */
async function codeIsStill(page: Page): Promise<void> {
  await page.locator('.cm-content').waitFor();
  await page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        const editor = document.querySelector('.cm-editor');
        const quiet = () => setTimeout(resolve, 300);
        let timer = quiet();
        if (editor) new MutationObserver(() => (clearTimeout(timer), (timer = quiet()))).observe(editor, { childList: true, subtree: true });
      }),
  );
}

const SCREENS: { name: string; query?: string; reach?: (page: Page) => Promise<unknown> }[] = [
  { name: 'start' },
  { name: 'start without projects', query: 'recent=0' },
  { name: 'start in Chinese', query: 'lang=zh-CN' },
  { name: 'start with several engines', query: 'engines=2' },
  { name: 'start that does not open', query: 'broken=1', reach: (page) => page.locator('.problem').waitFor() },
  { name: 'refused file', query: 'choose=refused', reach: (page) => press(page, 'Choose a file') },
  { name: 'pictures ready to send', reach: takeSample },
  { name: 'files over the start screen', reach: (page) => turn(page, (fake) => fake.drag({ over: true, count: 2 })) },
  {
    name: 'files over a project',
    query: FAST,
    reach: async (page) => {
      await done(page);
      await turn(page, (fake) => fake.drag({ over: true, count: 1, x: 90, y: 90 }));
    },
  },
  { name: 'reading', query: `${FAST}&hold=reading`, reach: async (page) => { await make(page); await page.getByText('27 of 41').first().waitFor(); } },
  { name: 'writing', query: `${FAST}&hold=half`, reach: async (page) => { await make(page); await held(page); } },
  { name: 'writing, as code', query: `${FAST}&hold=half`, reach: async (page) => { await make(page); await press(page, 'Code'); await codeIsStill(page); } },
  { name: 'done', query: FAST, reach: done },
  { name: 'done, steps unfolded', query: FAST, reach: async (page) => { await done(page); await press(page, /Worked through/); await press(page, /Cut out/); } },
  { name: 'done, as code', query: FAST, reach: async (page) => { await done(page); await press(page, 'Code'); await codeIsStill(page); } },
  { name: 'selecting', query: FAST, reach: async (page) => { await done(page); await finishedFrame(page); await press(page, 'Select'); await page.getByText('Nothing selected').waitFor(); } },
  { name: 'an element selected', query: FAST, reach: async (page) => { await done(page); await finishedFrame(page); await press(page, 'Select'); await page.getByRole('application').press('Enter'); await page.getByRole('heading', { name: 'Space and shape' }).waitFor(); } },
  { name: 'project menu', query: FAST, reach: async (page) => { await done(page); await press(page, 'Project Kestrel Kiln'); await page.getByRole('menu').waitFor(); } },
  { name: 'two pages', query: FAST, reach: async (page) => { await takeSample(page); await addPicture(page); await press(page, /^Make the page/); await status(page, 'Done'); await press(page, 'index.html 1 of 2'); await page.getByRole('menu').waitFor(); } },
  { name: 'failed, in Chinese', query: `${FAST}&scenario=fails&lang=zh-CN`, reach: async (page) => { await takeSample(page, '陶器店'); await press(page, /^生成页面/); await page.getByRole('group', { name: '运行失败' }).waitFor(); } },
  { name: 'tasks', query: `${FAST}&tasks=all`, reach: async (page) => { await make(page); await page.getByRole('article', { name: 'A second door' }).waitFor(); } },
  { name: 'rename', query: FAST, reach: async (page) => { await done(page); await press(page, 'Project Kestrel Kiln'); await page.getByRole('menuitem', { name: 'Rename' }).click(); } },
  { name: 'stopped', query: `${FAST}&hold=half`, reach: async (page) => { await make(page); await held(page); await page.keyboard.press('Escape'); await status(page, 'Stopped'); } },
  { name: 'failed', query: `${FAST}&scenario=fails`, reach: async (page) => { await make(page); await status(page, 'Failed'); } },
  { name: 'failed without a page', query: `${FAST}&scenario=refused`, reach: async (page) => { await make(page); await status(page, 'Failed'); } },
  { name: 'answered in words', query: `${FAST}&scenario=words`, reach: async (page) => { await make(page); await status(page, 'No page'); } },
  { name: 'what is remembered', query: FAST, reach: async (page) => { await done(page); await page.getByRole('textbox', { name: 'Message' }).fill('/memory'); await press(page, 'Send'); await page.getByRole('dialog').waitFor(); } },
  { name: 'new attempt', query: `${FAST}&scenario=retry`, reach: async (page) => { await make(page); await status(page, 'Done'); } },
  { name: 'interrupted', reach: async (page) => { await press(page, /Long Field/); await status(page, 'Interrupted'); } },
  { name: 'exported', query: `${FAST}&export=warnings`, reach: async (page) => { await done(page); await press(page, 'Export'); await page.getByRole('dialog').waitFor(); } },
  { name: 'two models ready', query: 'engines=2', reach: async (page) => { await takeSample(page); await twoOptions(page); } },
  { name: 'one option failed', query: `${FAST}&scenario=half`, reach: async (page) => { await takeSample(page); await twoOptions(page); await press(page, /^Make the page/); await status(page, 'Done'); await page.keyboard.press('Alt+2'); await page.getByRole('group', { name: 'Option 2 failed' }).waitFor(); } },
  { name: 'settings', query: 'engines=2&endpoints=1', reach: settings },
  { name: 'settings in Chinese', query: 'engines=2&lang=zh-CN', reach: async (page) => { await press(page, '设置'); await page.getByRole('heading', { name: '外观' }).waitFor(); } },
  { name: 'settings with refusals', query: 'engines=2&keychain=locked&test=refused', reach: async (page) => { await settings(page); await press(page, 'Test: Anthropic'); await page.getByText('The server said:').waitFor(); } },
  { name: 'settings without a keychain', query: 'keychain=none', reach: settings },
  { name: 'settings of a silent keychain', query: 'engines=2&keychain=slow', reach: settings },
  { name: 'diagnostics', reach: async (page) => { await settings(page); await press(page, 'Gather…'); await page.getByRole('region', { name: 'about.txt' }).waitFor(); } },
  { name: 'models to offer', query: 'engines=2', reach: async (page) => { await settings(page); await press(page, 'Models of Anthropic'); await page.getByText('claude-sonnet-5-5').waitFor(); } },
  { name: 'an endpoint', query: '', reach: async (page) => { await settings(page); await press(page, 'Azure OpenAI'); await page.getByRole('dialog', { name: 'Add an endpoint' }).waitFor(); } },
  { name: 'message', query: `${FAST}&export=refused`, reach: async (page) => { await done(page); await press(page, 'Export'); await page.getByText('The page was not exported').waitFor(); } },
];

const WITH_MENU = new Set(['project menu', 'two pages']);

async function violations(page: Page, name: string): Promise<string[]> {
  await page.evaluate(axe.source);
  // What is behind a sheet or an overlay is not there for anybody; frames hold the page, not the window.
  const { violations: found } = (await page.evaluate(
    `axe.run(document, {
      iframes: false,
      runOnly: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] },
      // A menu hangs outside every landmark, as menus do.
      rules: { region: { enabled: ${!WITH_MENU.has(name)} } },
    })`,
  )) as axe.AxeResults;
  return found.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 140)}`));
}

for (const theme of ['light', 'dark'] as const) {
  describe(`in ${theme}`, () => {
    for (const screen of SCREENS) {
      it(`${screen.name} has no fault and fits its window`, async () => {
        const small = theme === 'dark' ? { width: 900, height: 600 } : {};
        const { page, faults } = await shell.open(screen.query, { theme, reducedMotion: true, ...small });
        await page.locator('.screen, .opening').first().waitFor();
        await screen.reach?.(page);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        expect([await violations(page, screen.name), overflow, faults]).toEqual([[], 0, []]);
        await page.close();
      });
    }
  });
}
