import type { Host } from '../ipc/host';
import type { PageView } from '../ipc/types';
import { versionName } from './history.svelte';
import type { Preferences } from './preferences.svelte';
import type { ProjectController } from './project.svelte';
import { say } from './words.svelte';

/** What the version that is shown is called; an option that has made none yet goes by its number. */
const shownName = ({ version, chosen }: ProjectController): string =>
  version ? versionName(version) : say('option.name', { n: chosen + 1 });

/** What the window of the page is to show while the main window shows this. */
export function pageView(project: ProjectController | undefined, { theme, language }: Pick<Preferences, 'theme' | 'language'>): PageView {
  if (!project) return { theme, language };
  return { project: project.name, version: shownName(project), page: project.preview.shown, theme, language };
}

/** The window of the page as the main window knows it: told of each change for as long as it is there. */
export class PageWindow {
  #view: PageView | undefined;
  /** One that a main window from before a reload has opened is found by telling it something. */
  #isOpen = true;
  #isWaiting = false;
  #turn: Promise<void> = Promise.resolve();

  constructor(
    private readonly host: Pick<Host, 'openPageWindow' | 'showPage'>,
    private readonly onfail: (cause: unknown) => void,
  ) {}

  /** Opens the window, or raises it. */
  async open(): Promise<void> {
    await this.#inTurn(async () => {
      const view = this.#view;
      if (!view) return;
      await this.host.openPageWindow(view);
      this.#isOpen = true;
      if (this.#view !== view) this.#tellSoon();
    });
  }

  show(view: PageView): void {
    this.#view = view;
    if (this.#isOpen) this.#tellSoon();
  }

  /** One call at a time: calls may overtake each other on their way. The newest view is told. */
  #tellSoon(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    void this.#inTurn(async () => {
      this.#isWaiting = false;
      if (this.#view) this.#isOpen = await this.host.showPage(this.#view);
    });
  }

  #inTurn(act: () => Promise<void>): Promise<void> {
    this.#turn = this.#turn.then(act).catch(this.onfail);
    return this.#turn;
  }
}
