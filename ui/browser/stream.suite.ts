import type { CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { finishedFrame, held, make, stageFrame, status, turn } from './steps';
import { TestWindow } from './window';

let shell: TestWindow;
beforeAll(async () => {
  shell = await TestWindow.start();
});
afterAll(() => shell.stop());

/** Collects every picture the window presents. */
async function film(page: Page): Promise<{ stop(): Promise<string[]> }> {
  const session: CDPSession = await page.context().newCDPSession(page);
  const pictures: string[] = [];
  session.on('Page.screencastFrame', ({ data, sessionId }) => {
    pictures.push(data);
    session.send('Page.screencastFrameAck', { sessionId }).catch(() => undefined);
  });
  await session.send('Page.startScreencast', { format: 'png', everyNthFrame: 1 });
  return {
    async stop() {
      await session.send('Page.stopScreencast');
      return pictures;
    },
  };
}

/** Which of the pictures show nothing but one colour in the middle of the page. */
const blankAmong = (page: Page, pictures: string[], area: { x: number; y: number; width: number; height: number }) =>
  page.evaluate(
    async ([list, { x, y, width, height }]) => {
      const blank: number[] = [];
      for (const [index, data] of list.entries()) {
        const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
        const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
        const scale = image.width / window.innerWidth;
        const canvas = new OffscreenCanvas(width, height);
        const context = canvas.getContext('2d');
        if (!context) throw new Error('no canvas');
        context.drawImage(image, x * scale, y * scale, width * scale, height * scale, 0, 0, width, height);
        const { data: pixels } = context.getImageData(0, 0, width, height);
        let differs = 0;
        for (let at = 4; at < pixels.length; at += 4) {
          if (Math.abs((pixels[at] ?? 0) - (pixels[0] ?? 0)) > 12) differs += 1;
        }
        if (differs < 40) blank.push(index);
      }
      return blank;
    },
    [pictures, area] as const,
  );

it('writes a page of 200 KiB without a blank picture and without moving it', async () => {
  const { page, faults } = await shell.open('scenario=long&recent=0&hold=half');
  await make(page);
  await held(page);
  const writing = await stageFrame(page);
  await writing.evaluate(() => window.scrollTo({ top: 600, behavior: 'instant' }));
  await writing.waitForFunction(() => window.scrollY === 600);
  const reel = await film(page);
  const drift: number[] = [];
  const area = await page.locator('.sheet').boundingBox();
  await turn(page, (fake) => fake.go());
  const over = status(page, 'Done').then(() => page.locator('.page iframe').nth(1).waitFor({ state: 'detached' }));
  let isOver = false;
  void over.then(() => (isOver = true));
  while (!isOver) {
    const frame = await stageFrame(page).catch(() => undefined);
    const y = await frame?.evaluate(() => window.scrollY).catch(() => undefined);
    if (y !== undefined && y !== 600) drift.push(y);
  }
  await over;
  const finished = await finishedFrame(page);
  const end = await finished.evaluate(() => ({ y: window.scrollY, length: document.querySelectorAll('article').length }));
  const pictures = await reel.stop();
  const middle = { x: Math.round((area?.x ?? 0) + 60), y: Math.round((area?.y ?? 0) + 60), width: 500, height: 400 };
  const blank = await blankAmong(page, pictures, middle);
  console.info(`${pictures.length} pictures, ${blank.length} blank, ${drift.length} moved`);
  expect({ blank, drift, end, enough: pictures.length > 20, faults }).toEqual({
    blank: [],
    drift: [],
    end: { y: 600, length: 260 },
    enough: true,
    faults: [],
  });
  await page.close();
});
