import type { Host } from '../ipc/host';
import type { LanguageChoice, Settings, Theme } from '../ipc/types';
import { words } from './words.svelte';

/** What preferences change outside the window's own tree. */
export interface PreferencePorts {
  systemLanguage: string;
  /** Puts theme and language on the document. */
  paint(theme: Theme, language: string): void;
}

/** Theme, language and pane widths; every change is kept by the host. */
export class Preferences {
  theme = $state<Theme>('system');
  language = $state<LanguageChoice>('system');
  panes = $state.raw<Readonly<Record<string, number>>>({});

  constructor(
    private readonly host: Pick<Host, 'saveSettings'>,
    private readonly ports: PreferencePorts,
    private readonly onfail: (cause: unknown) => void,
  ) {}

  restore(settings: Settings): void {
    this.theme = settings.theme;
    this.language = settings.language;
    this.panes = settings.panes;
    this.#apply();
  }

  chooseTheme(theme: Theme): void {
    this.theme = theme;
    this.#applyAndSave();
  }

  chooseLanguage(language: LanguageChoice): void {
    this.language = language;
    this.#applyAndSave();
  }

  setPane(name: string, widthPx: number): void {
    const width = Math.round(widthPx);
    if (this.panes[name] === width) return;
    this.panes = { ...this.panes, [name]: width };
    this.#save();
  }

  #applyAndSave(): void {
    this.#apply();
    this.#save();
  }

  #apply(): void {
    words.choose(this.language, this.ports.systemLanguage);
    this.ports.paint(this.theme, words.language);
  }

  #save(): void {
    const { theme, language, panes } = this;
    this.host.saveSettings({ theme, language, panes }).catch(this.onfail);
  }
}
