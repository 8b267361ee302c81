import type { PageHost } from '../ipc/host';
import type { OpenPage, PageNews, PageView } from '../ipc/types';
import { ENTRY } from '../lib/pages';
import type { PreferencePorts } from './preferences.svelte';
import { keyOf, PreviewController, type PreviewPorts } from './preview.svelte';
import { words } from './words.svelte';

/** The window of the page: shows what the main window shows, written or finished. */
export class PageFollower {
  view = $state.raw<PageView | undefined>();
  /** Nothing can be heard of the main window. */
  isLost = $state(false);
  /** The page froze a window and is shown without its scripts. */
  hasScriptsOff = $state(false);
  readonly preview: PreviewController;

  constructor(
    private readonly host: PageHost,
    private readonly ports: PreviewPorts & PreferencePorts,
  ) {
    this.preview = new PreviewController(host, ports);
  }

  /** Follows the main window from now on. */
  async follow(): Promise<void> {
    this.isLost = false;
    try {
      await this.host.follow((news) => this.#hear(news));
    } catch {
      this.isLost = true;
    }
  }

  #hear(news: PageNews): void {
    if (news.kind === 'piece') return this.preview.take(news.body);
    this.hasScriptsOff = news.body.hasScriptsOff;
    this.#show(news.body.view);
  }

  #show(view: PageView): void {
    const before = this.view?.page;
    this.view = view;
    words.choose(view.language, this.ports.systemLanguage);
    this.ports.paint(view.theme, words.language);
    const { page } = view;
    if (page) this.#turnTo(page, before);
    else if (before) this.preview.clear(before.of);
  }

  #turnTo({ of, path, isWriting, loads }: OpenPage, before: OpenPage | undefined): void {
    const now = this.preview.shown;
    const isSame = now !== undefined && keyOf(now.of) === keyOf(of) && (now.path === path || (now.isWriting && !(now.path && path)));
    if (isWriting && 'runId' in of) {
      if (!isSame || !now.isWriting) this.preview.write(of, path);
    } else if (isSame && now.isWriting && this.preview.hasText) this.preview.finish();
    else if (!isSame || now.isWriting || before?.loads !== loads) this.preview.load(of, path ?? ENTRY);
  }
}
