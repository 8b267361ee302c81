import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type BrowserContext, type Page } from 'playwright-core';
import { preview, type PreviewServer } from 'vite';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
export const CHROMIUM = process.env.FACSIMILE_CHROMIUM ?? '/usr/bin/chromium';
export const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export interface OpenOptions {
  width?: number;
  height?: number;
  theme?: 'light' | 'dark';
  reducedMotion?: boolean;
  /** Another document than the main window's. */
  document?: string;
}

/** The built window over the scripted host, served on loopback and opened in Chromium. */
export class TestWindow {
  private constructor(
    private readonly server: PreviewServer,
    private readonly profile: string,
    readonly context: BrowserContext,
    private readonly address: string,
  ) {}

  static async start(): Promise<TestWindow> {
    const server = await preview({
      root: ROOT,
      mode: 'fake',
      logLevel: 'silent',
      build: { outDir: 'dist-fake' },
      preview: { port: 0, host: '127.0.0.1' },
    });
    const address = server.resolvedUrls?.local[0] ?? '';
    const profile = await mkdtemp(join(tmpdir(), 'facsimile-ui-'));
    const context = await chromium.launchPersistentContext(profile, {
      executablePath: CHROMIUM,
      headless: true,
      args: ARGUMENTS,
      locale: 'en-US',
    });
    return new TestWindow(server, profile, context, address);
  }

  /** Opens the window with a scripted host told by `query`; what goes wrong is noted in `faults`. */
  async open(query = '', options: OpenOptions = {}): Promise<{ page: Page; faults: string[] }> {
    const page = await this.context.newPage();
    const faults: string[] = [];
    page.on('console', (message) => {
      if (message.type() !== 'error' && message.type() !== 'warning') return;
      // The snapshot of a finished page runs no scripts on purpose, and the browser says so.
      if (!message.text().startsWith('Blocked script execution in')) faults.push(message.text());
    });
    page.on('pageerror', (error) => faults.push(error.message));
    await page.setViewportSize({ width: options.width ?? 1440, height: options.height ?? 900 });
    await page.emulateMedia({
      colorScheme: options.theme ?? 'light',
      reducedMotion: options.reducedMotion ? 'reduce' : 'no-preference',
    });
    await page.goto(`${this.address}${options.document ?? ''}?${query}`);
    await page.evaluate(() => document.fonts.ready);
    return { page, faults };
  }

  async stop(): Promise<void> {
    await this.context.close();
    await this.server.close();
    await rm(this.profile, { recursive: true, force: true });
  }
}
