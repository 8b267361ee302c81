import { describe, expect, it } from 'vitest';
import type { PageView } from '../ipc/types';
import { PageWindow, pageView } from './pageWindow';
import type { ProjectController } from './project.svelte';

const look = { theme: 'dark', language: 'en' } as const;
const called = (project: string): PageView => ({ project, ...look });

/** A host that answers only when it is let. */
function waiting(hasWindow: () => boolean) {
  const said: string[] = [];
  const answers: (() => void)[] = [];
  const slowly = (act: string, view: PageView) =>
    new Promise<boolean>((resolve) => {
      said.push(`${act} ${view.project}`);
      answers.push(() => resolve(hasWindow()));
    });
  const failed: unknown[] = [];
  const window = new PageWindow(
    {
      openPageWindow: async (view) => void (await slowly('open', view)),
      showPage: (view) => slowly('show', view),
    },
    (cause) => failed.push(cause),
  );
  const settle = async () => {
    for (let turn = 0; turn < 8; turn += 1) await Promise.resolve();
  };
  return {
    window,
    said,
    failed,
    async answer() {
      await settle();
      answers.shift()?.();
      await settle();
    },
  };
}

describe('the window of the page, as the main window knows it', () => {
  it('is told of nothing once it is known not to be there', async () => {
    const s = waiting(() => false);
    s.window.show(called('a'));
    await s.answer();
    s.window.show(called('b'));
    await s.answer();
    expect(s.said).toEqual(['show a']);
  });

  it('is told one thing at a time, and of many the newest', async () => {
    const s = waiting(() => true);
    s.window.show(called('a'));
    await s.answer();
    for (const name of ['b', 'c', 'd']) s.window.show(called(name));
    await s.answer();
    expect(s.said).toEqual(['show a', 'show d']);
  });

  it('is told what changed while it was opened', async () => {
    const s = waiting(() => s.said.some((what) => what.startsWith('open')));
    s.window.show(called('a'));
    await s.answer();
    void s.window.open();
    await Promise.resolve();
    s.window.show(called('b'));
    await s.answer();
    await s.answer();
    s.window.show(called('c'));
    await s.answer();
    expect(s.said).toEqual(['show a', 'open a', 'show b', 'show c']);
  });

  it('stays closed, and says so, where it does not open', async () => {
    const failed: unknown[] = [];
    const said: string[] = [];
    const window = new PageWindow(
      {
        openPageWindow: () => Promise.reject(new Error('no display')),
        showPage: async (view) => {
          said.push(view.project ?? '');
          return false;
        },
      },
      (cause) => failed.push(cause),
    );
    window.show(called('a'));
    await window.open();
    window.show(called('b'));
    await window.open();
    expect([said, failed.length]).toEqual([['a'], 2]);
  });
});

describe('what the window of the page is to show', () => {
  const project = (more: object) => ({ name: 'Kiln', chosen: 1, preview: { shown: undefined }, ...more }) as unknown as ProjectController;

  it('is named after the version, or after the option while that has made none', () => {
    const version = { id: 'v', number: 4, label: '', isDraft: false };
    const views = [pageView(undefined, look), pageView(project({}), look), pageView(project({ version }), look)];
    expect(views).toEqual([look, { project: 'Kiln', version: 'Option 2', page: undefined, ...look }, { project: 'Kiln', version: 'Version 4', page: undefined, ...look }]);
  });
});
