import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ARGUMENTS, CHROMIUM } from './window';

// The program's copies of libraries, beside pages that name them as an export does, opened from a disk.

const LIBRARIES = fileURLToPath(new URL('../../src-tauri/crates/studio/libraries', import.meta.url));

let room: string;
let browser: Browser;

beforeAll(async () => {
  room = await mkdtemp(join(tmpdir(), 'facsimile-libraries-'));
  for (const entry of await readdir(LIBRARIES, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    const bytes = await readFile(file);
    const isPacked = file.endsWith('.gz');
    const target = join(room, 'lib', relative(LIBRARIES, isPacked ? file.slice(0, -'.gz'.length) : file));
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, isPacked ? gunzipSync(bytes) : bytes);
  }
  browser = await chromium.launch({ executablePath: CHROMIUM, headless: true, args: ARGUMENTS });
});

afterAll(async () => {
  await browser?.close();
  await rm(room, { recursive: true, force: true });
});

/** A page without network; `faults` holds what it failed to load and what its scripts threw. */
async function opened(html: string): Promise<{ page: Page; faults: string[] }> {
  const file = join(room, 'index.html');
  await writeFile(file, `<!doctype html><html><meta charset="utf-8">${html}</html>`);
  const context = await browser.newContext({ offline: true });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('requestfailed', (request) => faults.push(request.url()));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  await page.goto(pathToFileURL(file).href);
  return { page, faults };
}

const lib = {
  tailwind: '<script src="./lib/@tailwindcss/browser/dist/index.global.js"></script>',
  style: (path: string) => `<link rel="stylesheet" href="./lib/${path}">`,
  script: (path: string) => `<script src="./lib/${path}"></script>`,
};

const styleOf = (page: Page, selector: string, name: string): Promise<string> =>
  page.locator(selector).evaluate((element, property) => getComputedStyle(element).getPropertyValue(property), name);

const loadedFonts = (page: Page): Promise<string[]> =>
  page.evaluate(async () => {
    await document.fonts.ready;
    return [...document.fonts].filter((font) => font.status === 'loaded').map((font) => font.family.replaceAll('"', ''));
  });

test('tailwind applies classes and theme, with icons and Inter', async () => {
  const { page, faults } = await opened(
    `${lib.tailwind}${lib.style('@fortawesome/fontawesome-free/css/all.min.css')}` +
      `${lib.style('@fontsource-variable/inter/index.css')}` +
      '<style type="text/tailwindcss">@theme { --color-brand: #0a7c66; }</style>' +
      '<body><h1 class="text-brand" style="font-family: \'Inter Variable\'">Title <i class="fa-solid fa-house"></i></h1>',
  );
  await expect.poll(() => styleOf(page, 'h1', 'color')).toBe('rgb(10, 124, 102)');
  await expect.poll(() => loadedFonts(page)).toEqual(expect.arrayContaining(['Font Awesome 7 Free', 'Inter Variable']));
  expect(faults).toEqual([]);
});

test('bootstrap styles a button and opens its menu', async () => {
  const { page, faults } = await opened(
    `${lib.style('bootstrap/dist/css/bootstrap.min.css')}${lib.style('bootstrap-icons/font/bootstrap-icons.min.css')}` +
      '<body><button class="btn btn-primary" data-bs-toggle="dropdown"><i class="bi bi-alarm"></i>Menu</button>' +
      '<ul class="dropdown-menu"><li>Item</li></ul>' +
      lib.script('bootstrap/dist/js/bootstrap.bundle.min.js'),
  );
  expect(await styleOf(page, 'button', 'background-color')).toBe('rgb(13, 110, 253)');
  await page.click('button');
  await expect.poll(() => page.locator('.dropdown-menu').isVisible()).toBe(true);
  expect(await loadedFonts(page)).toEqual(['bootstrap-icons']);
  expect(faults).toEqual([]);
});

test('react draws what babel makes of the page', async () => {
  const { page, faults } = await opened(
    `${lib.script('react/umd/react.production.min.js')}${lib.script('react-dom/umd/react-dom.production.min.js')}` +
      `${lib.script('@babel/standalone/babel.min.js')}<body><div id="root"></div><script type="text/babel">` +
      'function App() { const [n, setN] = React.useState(0); return <button onClick={() => setN(n + 1)}>{n}</button>; }' +
      'ReactDOM.createRoot(document.getElementById("root")).render(<App />);</script>',
  );
  await page.click('button');
  await expect.poll(() => page.textContent('button')).toBe('1');
  expect(faults).toEqual([]);
});

test('vue mounts the template in the page', async () => {
  const { page, faults } = await opened(
    `${lib.script('vue/dist/vue.global.prod.js')}<body><div id="app"><p v-for="n in count" :key="n">{{ n }}</p>` +
      '<button @click="count++">Add</button></div>' +
      '<script>Vue.createApp({ setup: () => ({ count: Vue.ref(2) }) }).mount("#app")</script>',
  );
  await page.click('button');
  await expect.poll(() => page.locator('p').allTextContents()).toEqual(['1', '2', '3']);
  expect(faults).toEqual([]);
});

test('ionic draws components and icons, also when its script stands there twice', async () => {
  const script = '<script defer src="./lib/@ionic/core/ionic.bundle.js"></script>';
  const { page, faults } = await opened(
    `${lib.style('@ionic/core/css/ionic.bundle.css')}${script}${script}` +
      '<body><ion-app><ion-content><ion-button color="danger">Go</ion-button><ion-icon name="add-outline"></ion-icon>' +
      '</ion-content></ion-app>',
  );
  await expect.poll(() => page.locator('ion-icon svg').count()).toBe(1);
  expect(await styleOf(page, 'ion-button button', 'background-color')).toBe('rgb(197, 0, 15)');
  expect(faults).toEqual([]);
});
