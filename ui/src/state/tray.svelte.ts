import type { Host } from '../ipc/host';
import { hostError, type HostError } from '../ipc/error';
import type { AddedInputs, InputSummary, RefusedInput } from '../ipc/types';

/** As many pictures as one message can carry. */
export const MOST_PICTURES = 10;
const DRAFT_PAUSE_MS = 400;

type TrayHost = Pick<Host, 'chooseFiles' | 'pastePicture' | 'addPicture' | 'useSample' | 'saveDraft'>;

/** What the next message carries: pictures and words. */
export class Tray {
  inputs = $state.raw<readonly InputSummary[]>([]);
  refused = $state.raw<readonly RefusedInput[]>([]);
  /** How many came after the tenth picture. */
  overflow = $state(0);
  text = $state('');
  isTaking = $state(false);
  #draftTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly host: TrayHost,
    private readonly onfail: (error: HostError) => void,
  ) {}

  get isEmpty(): boolean {
    return this.inputs.length === 0 && this.text.trim().length === 0;
  }

  /** Whether something was kept out and not yet acknowledged. */
  get hasRefused(): boolean {
    return this.refused.length > 0 || this.overflow > 0;
  }

  take(added: AddedInputs): void {
    const known = new Set(this.inputs.map((input) => input.id));
    const fresh = added.inputs.filter((input) => !known.has(input.id));
    const room = MOST_PICTURES - this.inputs.length;
    this.inputs = [...this.inputs, ...fresh.slice(0, room)];
    this.overflow = Math.max(0, fresh.length - room);
    this.refused = added.refused;
  }

  remove(id: string): void {
    this.inputs = this.inputs.filter((input) => input.id !== id);
    this.overflow = 0;
  }

  write(text: string): void {
    this.text = text;
    // The draft lives with the host, so that a window that was reloaded loses no word.
    clearTimeout(this.#draftTimer);
    this.#draftTimer = setTimeout(() => this.#saveDraft(), DRAFT_PAUSE_MS);
  }

  empty(): void {
    this.inputs = [];
    this.forgetRefused();
    this.text = '';
    clearTimeout(this.#draftTimer);
    this.#saveDraft();
  }

  forgetRefused(): void {
    this.refused = [];
    this.overflow = 0;
  }

  choose = (): Promise<void> => this.#from(this.host.chooseFiles());
  paste = (): Promise<void> => this.#from(this.host.pastePicture());
  sample = (id: string): Promise<void> => this.#from(this.host.useSample(id));
  add = (name: string, base64: string): Promise<void> => this.#from(this.host.addPicture(name, base64));

  async #from(coming: Promise<AddedInputs>): Promise<void> {
    this.isTaking = true;
    try {
      this.take(await coming);
    } catch (cause) {
      this.onfail(hostError(cause));
    } finally {
      this.isTaking = false;
    }
  }

  #saveDraft(): void {
    // A draft that could not be kept is lost only if the window dies too.
    this.host.saveDraft(this.text).catch(() => undefined);
  }
}
