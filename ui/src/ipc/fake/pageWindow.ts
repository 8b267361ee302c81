import type { PageHost } from '../host';
import type { OpenPage, PageNews, PageView, Theme } from '../types';
import { PAGES } from './shelf';

/** What a test may tell the window of the page. */
export interface FakePageControl {
  view(view: Partial<PageView>): void;
  open(page: Partial<OpenPage> | undefined): void;
}

const RUN = 'run-1';
const DONE: OpenPage = { of: { runId: RUN, variantIndex: 0 }, path: 'index.html', isWriting: false, loads: 0 };

/** The scripted host of the window of the page, told by the address: `page.html?state=writing&lang=zh-CN&theme=dark`. */
export function fakePageHost(): PageHost {
  const asked = new URLSearchParams(location.search);
  const state = asked.get('state');
  let hear: (news: PageNews) => void = () => undefined;
  let view: PageView = {
    project: state === 'closed' ? undefined : 'Kestrel Kiln',
    version: state === 'closed' ? undefined : 'Option 1',
    page: state === 'closed' || state === 'nothing' ? undefined : { ...DONE, isWriting: state === 'writing' || state === 'waiting' },
    theme: (asked.get('theme') as Theme | null) ?? 'system',
    language: asked.get('lang') === 'zh-CN' ? 'zh-CN' : 'en',
  };
  const tell = () => hear({ kind: 'view', body: { view, hasScriptsOff: state === 'frozen' } });
  const control: FakePageControl = {
    view: (next) => {
      view = { ...view, ...next };
      tell();
    },
    open: (page) => control.view({ page: page && { ...DONE, ...page } }),
  };
  Object.assign(window, { facsimileFakePage: control });
  const name = (variantIndex: number) => (state === 'flood' ? 'flood' : variantIndex === 0 ? 'shop-a' : 'shop-b');
  return {
    follow: async (next) => {
      if (state === 'lost') throw { code: 'unknown', message: 'There is no main window.' };
      hear = next;
      tell();
    },
    previewText: async (_runId, variantIndex) => {
      if (state === 'waiting') throw { code: 'not_there', message: 'Nothing is written yet.' };
      const text = (PAGES[name(variantIndex)] ?? '').slice(0, 9_000);
      return { text, length: text.length };
    },
    streamAddress: (runId, variantIndex) => `/fake-preview/stream/${runId}/${variantIndex}/stream.html`,
    pageAddress: (runId, variantIndex, path, version, y) => `/fake-preview/page/${name(variantIndex)}/${runId}/${variantIndex}/${path}?v=${version}&y=${Math.round(y)}`,
    versionAddress: (versionId, path, version, y) => `/fake-preview/page/shop-b/${versionId}/0/${path}?v=${version}&y=${Math.round(y)}`,
  };
}
