import { describe, expect, it } from 'vitest';
import type { PageHost } from '../ipc/host';
import type { OpenPage, PageNews, PageView } from '../ipc/types';
import { PageFollower } from './pageFollower.svelte';

const option = (variantIndex: number) => ({ runId: 'r', variantIndex });
const page = (more: Partial<OpenPage> = {}): OpenPage => ({ of: option(0), path: 'index.html', isWriting: false, loads: 0, ...more });
const view = (open?: OpenPage, more: Partial<PageView> = {}): PageView => ({ project: 'Kiln', version: 'Option 1', page: open, theme: 'dark', language: 'zh-CN', ...more });

async function following(first: PageView, answers: Partial<PageHost> = {}) {
  let hear: (news: PageNews) => void = () => undefined;
  const painted: string[] = [];
  const host: PageHost = {
    follow: async (next) => {
      hear = next;
      hear({ kind: 'view', body: { view: first, hasScriptsOff: false } });
    },
    previewText: () => Promise.reject({ code: 'not_there', message: '' }),
    streamAddress: (run, variant) => `stream/${run}/${variant}`,
    pageAddress: (run, variant, path) => `page/${run}/${variant}/${path}`,
    versionAddress: (id, path) => `version/${id}/${path}`,
    ...answers,
  };
  const ports = {
    nextFrame: (then: () => void) => then(),
    after: () => () => undefined,
    now: () => 0,
    systemLanguage: 'en',
    paint: (theme: string, language: string) => void painted.push(`${theme} ${language}`),
  };
  const follower = new PageFollower(host, ports);
  await follower.follow();
  return {
    follower,
    painted,
    hear: (news: PageNews) => hear(news),
    show: (next: PageView, hasScriptsOff = false) => hear({ kind: 'view', body: { view: next, hasScriptsOff } }),
    newest: () => follower.preview.frames.at(-1)?.src,
    made: () => follower.preview.frames.at(-1)?.key ?? 0,
  };
}

describe('the window of the page', () => {
  it('shows what the main window shows, one after the other', async () => {
    const s = await following(view(page()));
    const seen = [s.newest()];
    const further = [page({ of: option(1) }), page({ of: option(1), path: 'b.html' }), page({ of: { versionId: 'v' } }), page({ of: option(2), isWriting: true, path: undefined })];
    for (const next of further) {
      s.show(view(next));
      seen.push(s.newest());
    }
    s.show(view(undefined));
    expect([seen, s.follower.preview.phase, s.newest()]).toEqual([['page/r/0/index.html', 'page/r/1/index.html', 'page/r/1/b.html', 'version/v/index.html', 'stream/r/2'], 'empty', undefined]);
  });

  it('loads nothing again for a new name, theme or language', async () => {
    const s = await following(view(page()));
    const before = s.made();
    s.show(view(page(), { version: 'Named', theme: 'light' }));
    expect([s.made() - before, s.follower.view?.version, s.painted]).toEqual([0, 'Named', ['dark zh-CN', 'light zh-CN']]);
  });

  it('loads the page again when the main window did', async () => {
    const s = await following(view(page()));
    const before = s.made();
    s.show(view(page({ loads: 1 })));
    expect(s.made() - before).toBe(1);
  });

  it('keeps the frame that is written into while the first page gets its name, and swaps it at the end', async () => {
    const s = await following(view(page({ isWriting: true, path: undefined })));
    const stream = s.made();
    s.hear({ kind: 'piece', body: { ...option(0), path: 'home.html', base: 0, text: '<h1>' } });
    s.show(view(page({ isWriting: true, path: 'home.html' })));
    const kept = s.made();
    s.show(view(page({ path: 'home.html' })));
    expect([kept - stream, s.follower.preview.phase, s.newest()]).toEqual([0, 'finished', 'page/r/0/home.html']);
  });

  it('loads the finished page where it has heard nothing of its writing', async () => {
    const s = await following(view(page({ isWriting: true, path: undefined })));
    s.show(view(page()));
    expect([s.follower.preview.phase, s.newest()]).toEqual(['finished', 'page/r/0/index.html']);
  });

  it('says whether the scripts of the page are off', async () => {
    const s = await following(view(page()));
    const said = [s.follower.hasScriptsOff];
    for (const off of [true, false]) {
      s.show(view(page({ of: option(1) })), off);
      said.push(s.follower.hasScriptsOff);
    }
    expect(said).toEqual([false, true, false]);
  });

  it('says when it cannot follow, and follows once it can', async () => {
    let works = false;
    const s = await following(view(page()), {
      follow: async (hear) => {
        if (!works) throw new Error('gone');
        hear({ kind: 'view', body: { view: view(page()), hasScriptsOff: false } });
      },
    });
    const lost = s.follower.isLost;
    works = true;
    await s.follower.follow();
    expect([lost, s.follower.isLost, s.newest()]).toEqual([true, false, 'page/r/0/index.html']);
  });
});
