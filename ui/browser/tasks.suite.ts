import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { calls, make, press, settings, status, turn } from './steps';
import { TestWindow } from './window';

const FAST = 'speed=40&recent=0';
let shell: TestWindow;
beforeAll(async () => {
  shell = await TestWindow.start();
});
afterAll(() => shell.stop());

const card = (page: Page, name: string) => page.getByRole('article', { name });
const withTasks = async (query = '') => {
  const opened = await shell.open(`${FAST}&tasks=all${query}`);
  await make(opened.page);
  await card(opened.page, 'A second door').waitFor();
  return opened;
};

describe('the card of a task', () => {
  it('is stopped and tried again in its place, with one press each', async () => {
    const { page, faults } = await withTasks();
    const jug = card(page, 'A jug on a table');
    await jug.getByRole('button', { name: 'Cancel' }).click();
    await jug.getByText('Stopped').waitFor();
    await jug.getByRole('button', { name: 'Try again' }).click();
    await jug.getByRole('button', { name: 'Cancel' }).waitFor();
    expect([await calls(page, 'cancelTask'), await calls(page, 'retryTask'), await jug.count(), faults]).toEqual([
      [['project-1', 'task-3']],
      [['project-1', 'task-3']],
      1,
      [],
    ]);
    await page.close();
  });

  it('names what failed and the next step, and leads to the settings of pictures', async () => {
    const { page } = await withTasks();
    const sky = card(page, 'A warmer sky');
    const said = await sky.textContent();
    await sky.getByRole('button', { name: 'Image settings' }).click();
    await page.getByRole('heading', { name: 'Pictures' }).waitFor();
    expect(said).toContain('Replicate did not accept the key (status 401). Check the key in Settings.');
    await page.close();
  });

  // S-64
  it('keeps the status line from saying that all is done while it goes on', async () => {
    const { page } = await withTasks();
    await status(page, 'A jug on a table');
    await turn(page, (fake) => fake.endTasks());
    await status(page, 'Done');
    await page.close();
  });

  // S-64
  it('brings what it cost into the one sum of its option, which has ended before it', async () => {
    const { page } = await withTasks('&engines=2&scenario=models');
    const option = page.getByRole('button', { name: 'Option 1' });
    const before = await option.getByText('$1.25').count();
    await turn(page, (fake) => fake.endTasks());
    await status(page, 'Done');
    await option.getByText('$1.25').waitFor();
    const said = await page.getByRole('contentinfo', { name: 'Status' }).textContent();
    expect([before, said?.includes('$1.25')]).toEqual([0, true]);
    await page.close();
  });
});

describe('the settings of pictures', () => {
  it('are off until somebody switches them on, and say where descriptions go then', async () => {
    const { page, faults } = await shell.open(`${FAST}&engines=2`);
    await settings(page);
    const group = page.getByRole('group', { name: 'Generate pictures' });
    const before = await group.getByRole('button', { name: 'Off' }).getAttribute('aria-pressed');
    await group.getByRole('button', { name: 'On' }).click();
    await page.getByText('Descriptions, and pictures to be changed, go to OpenAI (gpt-image-2).').waitFor();
    await press(page, /^Image model/);
    await page.getByRole('menuitemradio', { name: /gemini/ }).click();
    expect([before, await calls(page, 'saveImageSettings'), faults]).toEqual([
      'true',
      [
        [true, 'prunaai/z-image-turbo'],
        [true, 'gemini-3.1-flash-image'],
      ],
      [],
    ]);
    await page.close();
  });
});
