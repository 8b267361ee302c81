import type { Page } from 'playwright-core';
import type { FakeControl } from '../src/ipc/fake';

type ControlWindow = Window & { facsimileFake: FakeControl };

export const press = (page: Page, name: string | RegExp) =>
  page.getByRole('button', typeof name === 'string' ? { name, exact: true } : { name }).first().click();

/** Waits until the status line says `text`. */
export const status = (page: Page, text: string) =>
  page.getByRole('contentinfo', { name: 'Status' }).getByText(text, { exact: true }).waitFor();

export const takeSample = (page: Page, name = 'Pottery shop') => page.getByRole('button', { name }).click();

/** Two presses from a cold start to a run. */
export async function make(page: Page, name?: string): Promise<void> {
  await takeSample(page, name);
  await press(page, /^Make the page/);
  await page.getByRole('button', { name: 'Option 1' }).waitFor();
}

/** A second picture, beside the first one in the tray. */
export async function addPicture(page: Page): Promise<void> {
  await page.getByText('1 of 10 pictures').waitFor();
  await turn(page, (fake) =>
    fake.drop({ inputs: [{ id: 'tide', name: 'tide.png', width: 390, height: 844, bytes: 9, thumbnail: 'data:image/png;base64,iVBORw0KGgo=' }], refused: [] }),
  );
  await page.getByText('2 of 10 pictures').waitFor();
}

/** Opens the settings and waits for what they show. */
export async function settings(page: Page): Promise<void> {
  await press(page, 'Settings');
  await page.getByRole('heading', { name: 'Spend cap per run' }).waitFor();
}

/** Chooses in a menu of the setup, which is a sheet where there is little room. */
export async function choose(page: Page, menu: RegExp, choice: string): Promise<void> {
  await page.getByRole('button', { name: menu }).click();
  await page.getByRole('menuitemradio', { name: choice }).click();
}

/** Two options, each with a model of its own. */
export async function twoOptions(page: Page): Promise<void> {
  const change = page.getByRole('button', { name: 'Change' });
  if (await change.count()) await change.click();
  await page.getByRole('group', { name: 'Options to compare' }).getByRole('button', { name: '2' }).click();
  await choose(page, /^Engine of option 2/, 'gpt-6.2-sol');
  if (await page.getByRole('dialog').count()) await press(page, 'Done');
}

/** Turns the scripted host: `turn(page, (fake) => fake.go())`. */
export const turn = (page: Page, act: (fake: FakeControl) => void) =>
  page.evaluate(`(${act.toString()})(window.facsimileFake)`);

/** Waits until the scripted run is held at its mark and the window has drawn it. */
export async function held(page: Page): Promise<void> {
  await page.waitForFunction(() => (window as unknown as ControlWindow).facsimileFake.isHeld());
  await page.locator('.card .share').waitFor();
}

/** The calls the window made of one name, as their arguments. */
export const calls = (page: Page, name: string): Promise<unknown[][]> =>
  page.evaluate(
    (wanted) =>
      (window as unknown as ControlWindow).facsimileFake.calls.filter((call) => call.name === wanted).map((call) => call.args),
    name,
  );

/** The stored page, once it is the only one on the stage. */
export async function finishedFrame(page: Page) {
  await page.locator('.page iframe').nth(1).waitFor({ state: 'detached' });
  await page.locator('.page iframe.front[src*="/page/"]').waitFor();
  return stageFrame(page);
}

/** The frame that is seen on the stage. */
export async function stageFrame(page: Page) {
  const element = await page.locator('.page iframe.front').last().elementHandle();
  const frame = await element?.contentFrame();
  if (!frame) throw new Error('There is no page on the stage.');
  return frame;
}
