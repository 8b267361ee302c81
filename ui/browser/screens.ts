import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, it } from 'vitest';
import { TestWindow } from './window';

const OUT = fileURLToPath(new URL('../../out/screens/', import.meta.url));
const SIZES = [
  { width: 1440, height: 900 },
  { width: 900, height: 600 },
];

interface Screen {
  name: string;
  query?: string;
  reach?: (page: Page) => Promise<void>;
}

const SCREENS: Screen[] = [
  { name: '01-start' },
  { name: '01-start-empty', query: 'recent=0' },
  { name: '01-start-zh', query: 'lang=zh-CN' },
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
    for (const size of SIZES) {
      for (const theme of ['light', 'dark'] as const) {
        const { page } = await shell.open(screen.query, { ...size, theme, reducedMotion: true });
        await page.getByRole('main').waitFor();
        await screen.reach?.(page);
        await page.screenshot({ path: `${OUT}${screen.name}.${theme}.${size.width}x${size.height}.png` });
        await page.close();
      }
    }
  });
}
