import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { calls, choose, finishedFrame, held, press, settings, status, takeSample, turn, twoOptions } from './steps';
import { TestWindow } from './window';

const FAST = 'speed=40&recent=0';
const OPUS = 'anthropic:claude-opus-5-5';
const SOL = 'openai:gpt-6.2-sol';
const KEY = 'sk-test-0123456789abcdef';
let shell: TestWindow;
beforeAll(async () => {
  shell = await TestWindow.start();
});
afterAll(() => shell.stop());

/** Everything the document holds: marks, texts and the values of its fields. */
const wholeDocument = (page: Page): Promise<string> =>
  page.evaluate(() => document.documentElement.outerHTML + [...document.querySelectorAll('input, textarea')].map((field) => (field as HTMLInputElement).value).join('\n'));

const engineNames = async (page: Page, menu: RegExp) => {
  await page.getByRole('button', { name: menu }).click();
  const names = await page.getByRole('menuitemradio').allTextContents();
  await page.keyboard.press('Escape');
  return names.map((name) => name.trim());
};

const makeTwo = async (page: Page) => {
  await takeSample(page);
  await twoOptions(page);
  await press(page, /^Make the page/);
  await page.getByRole('button', { name: /^Option 2/ }).waitFor();
};

describe('a key', () => {
  it('makes its model a choice, and is nowhere in the window afterwards', async () => {
    const { page, faults } = await shell.open(FAST);
    await press(page, 'Add a key');
    await page.getByLabel('Key for Anthropic').fill(KEY);
    await page.keyboard.press('Enter');
    await page.getByText('Stored in the keychain').waitFor();
    const held = await wholeDocument(page);
    await page.keyboard.press('Escape');
    const names = await engineNames(page, /^Engine: /);
    expect([names, held.includes(KEY), await calls(page, 'setKey'), faults]).toEqual([
      ['claude-opus-5-5', 'Offline tracer'],
      false,
      [['anthropic', KEY]],
      [],
    ]);
    await page.close();
  });

  it('that is refused leaves its reason beside an empty field', async () => {
    const { page } = await shell.open(FAST);
    await settings(page);
    const field = page.getByLabel('Key for OpenAI');
    await field.fill('refused');
    await page.keyboard.press('Enter');
    await page.getByText(/^The keychain refused access/).waitFor();
    expect([await field.inputValue(), await field.getAttribute('type'), await field.getAttribute('autocomplete')]).toEqual(['', 'password', 'off']);
    await page.close();
  });

  it('is tested in the server’s own words and deleted after a question', async () => {
    const { page } = await shell.open(`${FAST}&engines=2&test=refused`);
    await settings(page);
    await press(page, 'Test: OpenAI');
    await page.getByText('Incorrect API key provided').waitFor();
    await press(page, 'Delete the key for OpenAI');
    await page.getByRole('dialog', { name: 'Delete the key for OpenAI' }).getByRole('button', { name: 'Delete', exact: true }).click();
    const focused = await page.waitForFunction(() => document.activeElement instanceof HTMLInputElement && document.activeElement.ariaLabel);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect([await calls(page, 'removeKey'), await focused.jsonValue()]).toEqual([[['openai']], 'Key for OpenAI']);
    await page.close();
  });

  it('without a keychain is said to last until the program ends', async () => {
    const { page } = await shell.open(`${FAST}&keychain=none`);
    await settings(page);
    await page.getByText('No keychain answered, so a key is kept in memory and is gone when you quit.').waitFor();
    await page.getByLabel('Key for Google').fill(KEY);
    await page.keyboard.press('Enter');
    await page.getByText('Kept until you quit').waitFor();
    const hint = await page.getByText('To keep keys, install one (on Linux gnome-keyring or KWallet) and start Facsimile again.').count();
    expect([hint, await page.getByText('Saved', { exact: true }).count()]).toEqual([1, 0]);
    await page.close();
  });

  it('names what is the matter with the keychain and can be asked for again', async () => {
    const named = { locked: 'The keychain is locked', denied: 'The keychain refused access', slow: 'The keychain has not answered', failed: 'The keychain failed' };
    for (const [state, words] of Object.entries(named)) {
      const { page } = await shell.open(`${FAST}&keychain=${state}`);
      await settings(page);
      await page.getByText(words, { exact: true }).waitFor();
      await press(page, 'Try again: Google');
      expect([state, await calls(page, 'modelSettings')]).toEqual([state, [['keychain'], ['keychain']]]);
      await page.close();
    }
  });

  it('from the environment says of which variable, and can be replaced by one in the keychain', async () => {
    const { page } = await shell.open(`${FAST}&environment=1`);
    await settings(page);
    await page.getByText('GEMINI_API_KEY is used, because the keychain holds none.').waitFor();
    await press(page, 'Replace: Google');
    await page.getByLabel('Key for Google').fill(KEY);
    await page.keyboard.press('Enter');
    await page.getByText('Stored in the keychain').waitFor();
    await page.close();
  });
});

describe('an endpoint', () => {
  it('is added, tested, and its model chosen for a page', async () => {
    const { page, faults } = await shell.open(FAST);
    await settings(page);
    await press(page, 'Ollama');
    await page.getByRole('dialog', { name: 'Add an endpoint' }).getByRole('button', { name: 'Save' }).click();
    await press(page, 'Test: Ollama');
    await page.getByText('localhost:11434 answers and lists 3 models').waitFor();
    await press(page, 'Models of Ollama');
    await page.getByLabel('Find a model').fill('qwen');
    await page.getByRole('checkbox', { name: /qwen4-vl/ }).check();
    await press(page, 'Done');
    await page.getByRole('dialog', { name: 'Models of Ollama' }).waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await takeSample(page);
    const sending = await page.getByText('Nothing leaves this computer.').first().isVisible();
    await press(page, /^Make the page/);
    await status(page, 'Done');
    const [request] = await calls(page, 'startRun');
    expect([sending, request, await calls(page, 'setKey'), faults]).toEqual([
      true,
      [{ inputIds: ['shop'], text: '', engines: ['chat/e1:qwen4-vl'], stack: 'html-tailwind' }],
      [],
      [],
    ]);
    await page.close();
  });

  it('with an address that is none says so beside the field and stays open', async () => {
    const { page } = await shell.open(FAST);
    await settings(page);
    await press(page, 'Other');
    const sheet = page.getByRole('dialog', { name: 'Add an endpoint' });
    await sheet.getByRole('button', { name: 'Save' }).click();
    await sheet.getByText('Give it a name of 1 to 60 characters.').waitFor();
    await sheet.getByLabel('Name').fill('Mine');
    await sheet.getByLabel('Address').fill('no address');
    await sheet.getByRole('button', { name: 'Save' }).click();
    await sheet.getByText('no address is not a web address').waitFor();
    expect(await sheet.getByLabel('Address').getAttribute('aria-invalid')).toBe('true');
    await page.close();
  });

  it('gets a key of its own', async () => {
    const { page } = await shell.open(FAST);
    await settings(page);
    await press(page, 'Azure OpenAI');
    const sheet = page.getByRole('dialog', { name: 'Add an endpoint' });
    await sheet.getByLabel('Address of the resource').fill('https://studio.openai.azure.com');
    await sheet.getByLabel('Deployment').fill('vision');
    await sheet.getByLabel('Version of the API').fill('2025-04-01-preview');
    await sheet.getByLabel('Key').fill(KEY);
    await sheet.getByRole('button', { name: 'Save' }).click();
    await sheet.waitFor({ state: 'detached' });
    expect([await calls(page, 'saveEndpoint'), await calls(page, 'setKey'), (await wholeDocument(page)).includes(KEY)]).toEqual([
      [[{ id: '', name: 'Azure OpenAI', provider: 'chat', address: 'https://studio.openai.azure.com', azure: { deployment: 'vision', apiVersion: '2025-04-01-preview' } }]],
      [['endpoint:e1', KEY]],
      false,
    ]);
    await page.close();
  });
});

describe('spending', () => {
  it('keeps a cap that is an amount and refuses another', async () => {
    const { page } = await shell.open(FAST);
    await settings(page);
    const field = page.getByLabel('Cap in dollars');
    await field.fill('lots');
    await page.keyboard.press('Tab');
    await page.getByText('The cap is an amount in dollars, 0 for no cap.').waitFor();
    await field.fill('2,5');
    await page.keyboard.press('Tab');
    await page.getByText('Saved', { exact: true }).waitFor();
    expect([await field.inputValue(), await calls(page, 'saveSpendCap')]).toEqual(['2.50', [[2.5]]]);
    await page.close();
  });

  // S-63
  it('asks once before a run whose price is not known', async () => {
    const { page } = await shell.open(`${FAST}&engines=2&endpoints=1`);
    await takeSample(page);
    await choose(page, /^Engine: /, 'qwen4-vl (Studio workstation)');
    await page.getByText('The price of qwen4-vl (Studio workstation) is not known, so the cap cannot hold it.').waitFor();
    await press(page, /^Make the page/);
    await press(page, 'Cancel');
    const before = await calls(page, 'startRun');
    await press(page, /^Make the page/);
    await press(page, 'Start the run');
    await status(page, 'Done');
    await page.getByLabel('Message').fill('A larger heading');
    await page.keyboard.press('Enter');
    await page.getByText('A larger heading').first().waitFor();
    await status(page, 'Done');
    expect([before.length, (await calls(page, 'startRun')).length]).toEqual([0, 2]);
    await page.close();
  });
});

describe('options with models of their own', () => {
  it('start as one run and say first where everything goes', async () => {
    const { page, faults } = await shell.open(`${FAST}&engines=2`);
    await takeSample(page);
    await twoOptions(page);
    await choose(page, /^Stack/, 'Vue + Tailwind');
    await page.locator('.promise').getByText(/About \$/).waitFor();
    const sending = await page.locator('.promise').innerText();
    await press(page, /^Make the page/);
    await status(page, 'Done');
    expect([sending, await calls(page, 'startRun'), await page.getByText('Cap $5.00').isVisible(), faults]).toEqual([
      'Sends 1 picture, 412 KB, and your words to api.anthropic.com and api.openai.com. About $0.22 to $1.24. Never more than $5.00.',
      [[{ inputIds: ['shop'], text: '', engines: [OPUS, SOL], stack: 'vue-tailwind' }]],
      true,
      [],
    ]);
    await page.close();
  });

  it('stop one by one', async () => {
    const { page } = await shell.open(`${FAST}&engines=2&hold=half`);
    await makeTwo(page);
    await held(page);
    await press(page, 'Stop option 2');
    await page.getByRole('button', { name: /^Option 2 stopped/ }).waitFor();
    const stopped = await calls(page, 'cancelRun');
    await turn(page, (fake) => fake.go());
    await status(page, 'Done');
    const heading = await (await finishedFrame(page)).locator('h1').textContent();
    expect([stopped.map(([, option]) => option), heading]).toEqual([[1], 'Slow clay for daily tables']);
    await page.close();
  });

  it('keep the other one when one fails, which is tried again alone', async () => {
    const { page, faults } = await shell.open(`${FAST}&scenario=half`);
    await makeTwo(page);
    await status(page, 'Done');
    const heading = await (await finishedFrame(page)).locator('h1').textContent();
    await page.keyboard.press('Alt+2');
    await page.getByRole('group', { name: 'Option 2 failed' }).getByText('Check the key in the settings.').waitFor();
    await press(page, 'Try option 2 again');
    await page.getByRole('button', { name: 'Try option 2 again' }).waitFor({ state: 'detached' });
    await status(page, 'Done');
    const requests = await calls(page, 'startRun');
    const cards = await page.getByRole('group', { name: 'Options' }).getByRole('button', { name: /^Option \d/ }).count();
    await page.keyboard.press('Alt+1');
    const other = await (await finishedFrame(page)).locator('h1').textContent();
    expect([heading, cards, other, requests[1]?.[0], faults]).toMatchObject([
      'Slow clay for daily tables', 2, 'Slow clay for daily tables', { inputIds: ['shop'], engines: [SOL], stack: 'html-tailwind' }, [],
    ]);
    await page.close();
  });

  it('open the keys from a failure that a key mends', async () => {
    const { page } = await shell.open(`${FAST}&scenario=half`);
    await makeTwo(page);
    await status(page, 'Done');
    await page.keyboard.press('Alt+2');
    await press(page, 'Open Keys');
    await page.getByRole('dialog', { name: 'Settings' }).waitFor();
    await page.close();
  });
});

describe('the settings', () => {
  it('open and close with the keyboard and give the focus back', async () => {
    const { page, faults } = await shell.open(`${FAST}&engines=2`);
    await page.getByRole('button', { name: 'Settings' }).focus();
    await page.keyboard.press('Control+Comma');
    await page.getByRole('dialog', { name: 'Settings' }).waitFor();
    const first = await page.evaluate(() => document.activeElement?.textContent?.trim());
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const last = await page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
    expect([first, last, faults]).toEqual(['Keys and models', 'Settings', []]);
    await page.close();
  });

  it('that cannot be read say why and leave the rest in place', async () => {
    const { page } = await shell.open(`${FAST}&settings=broken`);
    await press(page, 'Settings');
    await page.getByRole('group', { name: 'The settings did not open' }).waitFor();
    await page.getByRole('heading', { name: 'Appearance' }).waitFor();
    await page.close();
  });
});
