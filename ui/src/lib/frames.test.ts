import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const SOURCES = fileURLToPath(new URL('../', import.meta.url));

/** The frames of a source as they are written, with their files. */
function frames(): string[] {
  const names = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((name) => /\.(svelte|ts)$/.test(name));
  return names
    .filter((name) => !name.endsWith('.test.ts'))
    .flatMap((name) => {
      const text = readFileSync(SOURCES + name, 'utf8');
      const written = [...text.matchAll(/<(iframe|object|embed|webview|portal|frame)\b([^>]|=>)*>/g)].map(([tag]) => tag);
      const made = [...text.matchAll(/createElement\(\s*['"`](iframe|object|embed|frame)/g)].map(([call]) => call);
      const sandbox = written.map((tag) => / sandbox="([^"]*)"/.exec(tag)?.[1] ?? 'none');
      return [...sandbox, ...made].map((how) => `${name}: ${how}`);
    })
    .sort();
}

// S-12: each of them is tried by a hostile page in the built program; a new one has to be tried too.
it('shows pages in two frames only, one that runs scripts and nothing else, and one that runs nothing', () => {
  expect(frames()).toEqual(['features/options/OptionCard.svelte: ', 'features/preview/PageFrame.svelte: allow-scripts']);
});
