import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, it } from 'vitest';
import { addPicture, held, twoOptions } from './steps';
import { TestWindow } from './window';

const OUT = fileURLToPath(new URL('../../out/screens/', import.meta.url));
const SIZES = [
  { width: 1440, height: 900 },
  { width: 900, height: 600 },
];

interface Screen {
  name: string;
  query?: string;
  reach?: (page: Page) => Promise<unknown>;
  sizes?: typeof SIZES;
  document?: string;
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).first().click();
const sample = (page: Page, name = 'Pottery shop') => page.getByRole('button', { name }).click();
const status = (page: Page, text: string) => page.getByRole('contentinfo', { name: 'Status' }).getByText(text, { exact: true }).waitFor();
const control = (page: Page, act: string) => page.evaluate(`void window.facsimileFake.${act}`);

async function make(page: Page) {
  await sample(page);
  await press(page, 'Make the page Enter');
  await page.getByRole('button', { name: 'Option 1' }).waitFor();
}
const settled = (page: Page) => page.waitForTimeout(500);
const until = (text: string) => async (page: Page) => {
  await make(page);
  await status(page, text);
  await settled(page);
};
const settings = (page: Page) => press(page, 'Settings');
async function twoTurns(page: Page) {
  await make(page);
  await status(page, 'Done');
  await page.locator('.talk textarea').fill('Real pictures');
  await press(page, 'Send');
  await page.getByText('Real pictures').first().waitFor();
  await status(page, 'Done');
}

async function chooseEngine(page: Page, name: string) {
  const change = page.getByRole('button', { name: 'Change' });
  if (await change.count()) await change.click();
  await page.getByRole('button', { name: /^Engine: / }).click();
  await page.getByRole('menuitemradio', { name }).click();
  if (await page.getByRole('dialog').count()) await press(page, 'Done');
}
const LARGE = [
  { width: 3840, height: 2160 },
  { width: 1120, height: 720 },
];
const FAST = 'speed=40&recent=0';
const done = until('Done');

const SCREENS: Screen[] = [
  { name: '01-start' },
  { name: '01-start-empty', query: 'recent=0' },
  { name: '01-start-zh', query: 'lang=zh-CN' },
  { name: '01-start-engines', query: 'engines=2' },
  { name: '01-start-broken', query: 'broken=1' },
  { name: '01-start-refused', query: 'choose=refused', reach: (page) => press(page, 'Choose a file') },
  { name: '01b-ready', reach: (page) => sample(page) },
  {
    name: '01b-ready-four',
    query: 'engines=2',
    reach: async (page) => {
      await sample(page);
      await page.getByRole('button', { name: 'Add a picture' }).waitFor();
      await control(page, 'drop({inputs:["a","b","c"].map((id)=>({id,name:`page-${id}.png`,width:id==="b"?390:1280,height:900,bytes:1,thumbnail:document.querySelector(".sheet img").src})),refused:[]})');
      await settled(page);
    },
  },
  { name: '02-drag', reach: (page) => control(page, 'drag({over:true,count:2})') },
  { name: '02b-drag-project', query: FAST, reach: async (page) => { await done(page); await control(page, 'drag({over:true,count:1,x:100,y:200})'); await settled(page); } },
  { name: '02b-drag-project-blind', query: FAST, reach: async (page) => { await done(page); await control(page, 'drag({over:true,count:1})'); await settled(page); } },
  { name: '03-reading', query: `${FAST}&hold=reading`, reach: async (page) => { await make(page); await page.getByText('27 of 41').first().waitFor(); } },
  { name: '03-streaming', query: `${FAST}&hold=half`, reach: async (page) => { await make(page); await held(page); await settled(page); } },
  { name: '03-streaming-models', query: `${FAST}&hold=half&engines=2`, reach: async (page) => { await sample(page); await twoOptions(page); await press(page, 'Make the page Enter'); await held(page); await settled(page); } },
  { name: '03-streaming-code', query: `${FAST}&hold=half`, reach: async (page) => { await make(page); await press(page, 'Code'); await page.locator('.cm-content').waitFor(); await settled(page); } },
  { name: '03-streaming-zh', query: `${FAST}&hold=half&lang=zh-CN`, reach: async (page) => { await sample(page, '陶器店'); await press(page, '生成页面 Enter'); await held(page); await settled(page); } },
  { name: '04-done', query: FAST, reach: done },
  { name: '04-done-unfolded', query: FAST, reach: async (page) => { await done(page); await page.getByRole('button', { name: /Worked through/ }).click(); await settled(page); } },
  { name: '04-done-unfolded-zh', query: `${FAST}&lang=zh-CN`, reach: async (page) => { await sample(page, '陶器店'); await press(page, '生成页面 Enter'); await page.getByRole('contentinfo').getByText('完成', { exact: true }).waitFor(); await page.getByRole('button', { name: /完成 \d+ 个步骤/ }).click(); await settled(page); } },
  { name: '04-done-phone', query: FAST, reach: async (page) => { await sample(page, 'Tide times'); await press(page, 'Make the page Enter'); await status(page, 'Done'); await settled(page); } },
  { name: '04-done-menu', query: FAST, reach: async (page) => { await done(page); await page.getByRole('button', { name: /^Project / }).click(); await settled(page); } },
  { name: '04-pages', query: FAST, reach: async (page) => { await sample(page); await addPicture(page); await press(page, 'Make the page Enter'); await status(page, 'Done'); await press(page, 'index.html 1 of 2'); await settled(page); } },
  { name: '04-failed-zh', query: `${FAST}&scenario=fails&lang=zh-CN`, reach: async (page) => { await sample(page, '陶器店'); await press(page, '生成页面 Enter'); await page.getByRole('group', { name: '运行失败' }).waitFor(); await settled(page); } },
  { name: '04-rename', query: FAST, reach: async (page) => { await done(page); await page.getByRole('button', { name: /^Project / }).click(); await page.getByRole('menuitem', { name: 'Rename' }).click(); await settled(page); } },
  { name: '04-stopped', query: `${FAST}&hold=half`, reach: async (page) => { await make(page); await held(page); await page.keyboard.press('Escape'); await status(page, 'Stopped'); await settled(page); } },
  { name: '04-stopped-early', query: `${FAST}&hold=reading`, reach: async (page) => { await make(page); await page.getByText('27 of 41').first().waitFor(); await page.keyboard.press('Escape'); await status(page, 'Stopped'); await settled(page); } },
  { name: '04-tasks', query: `${FAST}&tasks=all`, reach: async (page) => { await make(page); await page.getByRole('article', { name: 'A second door' }).waitFor(); await settled(page); } },
  { name: '04-tasks-top', query: `${FAST}&tasks=all`, reach: async (page) => { await make(page); await page.getByRole('article', { name: 'A second door' }).waitFor(); await control(page, 'endTasks()'); await status(page, 'Done'); await page.getByRole('region', { name: 'Activity' }).hover(); await page.mouse.wheel(0, -9000); await settled(page); } },
  { name: '04-tasks-zh', query: `${FAST}&tasks=all&lang=zh-CN`, reach: async (page) => { await sample(page, '陶器店'); await press(page, '生成页面 Enter'); await page.getByRole('article', { name: 'A second door' }).waitFor(); await settled(page); } },
  { name: '04-failed', query: `${FAST}&scenario=fails`, reach: until('Failed') },
  { name: '04-failed-nothing', query: `${FAST}&scenario=refused`, reach: until('Failed') },
  { name: '04-words', query: `${FAST}&scenario=words`, reach: until('No page') },
  { name: '04-memory', query: FAST, reach: async (page) => { await done(page); await page.getByRole('textbox', { name: 'Message' }).fill('/memory'); await press(page, 'Send'); await settled(page); } },
  { name: '04-retry', query: `${FAST}&scenario=retry`, reach: done },
  { name: '04-interrupted', reach: async (page) => { await press(page, 'Long Field Interrupted, Thursday').catch(() => page.getByRole('button', { name: /Long Field/ }).click()); await status(page, 'Interrupted'); await settled(page); } },
  { name: '06-code', query: FAST, reach: async (page) => { await done(page); await press(page, 'Code'); await page.locator('.cm-content').waitFor(); await settled(page); } },
  { name: '01b-ready-models', query: 'engines=2', reach: async (page) => { await sample(page); await twoOptions(page); await settled(page); } },
  { name: '01b-ready-models-zh', query: 'engines=2&lang=zh-CN', reach: (page) => sample(page, '陶器店') },
  { name: '01b-ready-menu', query: 'engines=2', reach: async (page) => { await sample(page); const change = page.getByRole('button', { name: 'Change' }); if (await change.count()) await change.click(); await page.getByRole('button', { name: /^Stack/ }).click(); await settled(page); } },
  { name: '01b-price', query: 'engines=2&endpoints=1', reach: async (page) => { await sample(page); await chooseEngine(page, 'qwen4-vl (Studio workstation)'); await press(page, 'Make the page Enter'); await page.getByRole('dialog').waitFor(); await settled(page); } },
  { name: '03-half', query: `${FAST}&scenario=half`, reach: async (page) => { await sample(page); await twoOptions(page); await press(page, 'Make the page Enter'); await status(page, 'Done'); await page.keyboard.press('Alt+2'); await settled(page); } },
  { name: '03-four', query: `${FAST}&hold=half&engines=2`, reach: async (page) => { await sample(page); await twoOptions(page); const change = page.getByRole('button', { name: 'Change' }); if (await change.count()) await change.click(); await page.getByRole('group', { name: 'Options to compare' }).getByRole('button', { name: '4' }).click(); if (await page.getByRole('dialog').count()) await press(page, 'Done'); await press(page, 'Make the page Enter'); await held(page); await settled(page); } },
  { name: '04-next-turn', query: `${FAST}&engines=2`, reach: async (page) => { await done(page); await page.getByRole('button', { name: /^Engine: / }).click(); await settled(page); } },
  { name: '07-history', query: `${FAST}&scenario=models&engines=2`, reach: async (page) => { await twoTurns(page); await press(page, 'History'); await page.getByRole('treeitem').first().waitFor(); await settled(page); } },
  { name: '07-history-compare', query: `${FAST}&scenario=models&engines=2`, reach: async (page) => { await twoTurns(page); await press(page, 'History'); await page.getByRole('treeitem').first().click(); await press(page, 'Compare'); await settled(page); } },
  { name: '08-settings-storage', query: 'engines=2', reach: async (page) => { await settings(page); await press(page, 'Storage'); await settled(page); } },
  { name: '08-settings', query: 'engines=2&endpoints=1', reach: async (page) => { await settings(page); await settled(page); } },
  { name: '08-settings-bare', query: 'keychain=none', reach: async (page) => { await settings(page); await settled(page); } },
  { name: '08-settings-locked', query: 'engines=2&keychain=locked&endpoints=1&test=refused', reach: async (page) => { await settings(page); await press(page, 'Test: Anthropic'); await press(page, 'Test: Studio workstation'); await page.getByText('The server said:').nth(1).waitFor(); await settled(page); } },
  { name: '08-settings-zh', query: 'engines=2&endpoints=1&lang=zh-CN&environment=1', reach: async (page) => { await press(page, '设置'); await settled(page); } },
  { name: '08-settings-images', query: 'engines=2&images=on', reach: async (page) => { await settings(page); await press(page, 'Pictures'); await settled(page); } },
  { name: '08-settings-end', query: 'engines=2&endpoints=1', reach: async (page) => { await settings(page); await press(page, 'Appearance'); await settled(page); } },
  { name: '08-settings-broken', query: 'settings=broken', reach: async (page) => { await settings(page); await settled(page); } },
  { name: '08-settings-slow', query: 'engines=2&keychain=slow', reach: async (page) => { await settings(page); await settled(page); } },
  { name: '08-settings-memory', query: 'engines=2&keychain=none', reach: async (page) => { await settings(page); await settled(page); } },
  { name: '08-diagnostics', query: 'engines=2', reach: async (page) => { await settings(page); await press(page, 'Gather…'); await settled(page); } },
  { name: '08-models', query: 'engines=2', reach: async (page) => { await settings(page); await press(page, 'Models of Anthropic'); await settled(page); } },
  { name: '08-models-failed', query: 'engines=2&test=refused', reach: async (page) => { await settings(page); await press(page, 'Models of Anthropic'); await settled(page); } },
  { name: '08-endpoint', query: 'engines=2', reach: async (page) => { await settings(page); await press(page, 'Ollama'); await settled(page); } },
  { name: '08-endpoint-azure', query: 'engines=2', reach: async (page) => { await settings(page); await press(page, 'Azure OpenAI'); await page.getByRole('dialog').last().getByRole('button', { name: 'Save' }).click(); await settled(page); } },
  { name: '08-endpoint-edit', query: 'engines=2&endpoints=1', reach: async (page) => { await settings(page); await press(page, 'Edit Studio workstation'); await settled(page); } },
  { name: '08-delete-key', query: 'engines=2', reach: async (page) => { await settings(page); await press(page, 'Delete the key for OpenAI'); await settled(page); } },
  { name: '09-exported', query: FAST, reach: async (page) => { await done(page); await press(page, 'Export'); await page.getByRole('dialog').waitFor(); await settled(page); } },
  { name: '09-exported-warnings', query: `${FAST}&export=warnings`, reach: async (page) => { await done(page); await press(page, 'Export'); await page.getByRole('dialog').waitFor(); await settled(page); } },
  { name: '10-toast', query: `${FAST}&export=refused`, reach: async (page) => { await done(page); await press(page, 'Export'); await page.getByText('The page was not exported').waitFor(); await settled(page); } },
  { name: '13-start', sizes: LARGE },
  { name: '13-ready', sizes: LARGE, reach: (page) => sample(page) },
  { name: '13-done', sizes: LARGE, query: FAST, reach: done },
  { name: '13-code', sizes: LARGE, query: FAST, reach: async (page) => { await done(page); await press(page, 'Code'); await page.locator('.cm-content').waitFor(); await settled(page); } },
  ...['done', 'writing', 'waiting', 'frozen', 'flood', 'closed', 'nothing', 'lost'].map((state) => ({
    name: `14-page-${state}`,
    document: 'page.html',
    query: `state=${state}`,
    sizes: [...SIZES, { width: 375, height: 720 }],
    reach: settled,
  })),
  { name: '14-page-closed-zh', document: 'page.html', query: 'state=closed&lang=zh-CN', reach: settled },
  { name: '12-focus', query: FAST, reach: async (page) => { await done(page); for (let n = 0; n < 4; n += 1) await page.keyboard.press('Tab'); await settled(page); } },
];

let shell: TestWindow;
beforeAll(async () => {
  await mkdir(OUT, { recursive: true });
  shell = await TestWindow.start();
});
afterAll(() => shell.stop());

const only = process.env.SCREEN;

for (const screen of SCREENS.filter(({ name }) => !only || name.includes(only))) {
  it(screen.name, async () => {
    for (const size of screen.sizes ?? SIZES) {
      for (const theme of ['light', 'dark'] as const) {
        const { page } = await shell.open(screen.query, { ...size, theme, reducedMotion: true, document: screen.document });
        await page.locator('.screen, .opening .problem').first().waitFor();
        await screen.reach?.(page);
        await page.screenshot({ path: `${OUT}${screen.name}.${theme}.${size.width}x${size.height}.png` });
        await page.close();
      }
    }
  });
}
