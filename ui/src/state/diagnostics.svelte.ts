import { hostError, type HostError } from '../ipc/error';
import type { Host } from '../ipc/host';
import type { DiagnosticsChoice, DiagnosticsFile } from '../ipc/types';

/** A bundle that is shown before it is saved: gathered again with every tick, saved as it is shown. */
export class DiagnosticsBundle {
  choice = $state.raw<DiagnosticsChoice>({ pictures: false, prompts: false, paths: false });
  files = $state.raw<readonly DiagnosticsFile[]>([]);
  fault = $state.raw<HostError | undefined>();
  isGathering = $state(false);
  #asked = 0;

  constructor(private readonly host: Pick<Host, 'gatherDiagnostics' | 'saveDiagnostics'>) {}

  async gather(choice: DiagnosticsChoice = this.choice): Promise<void> {
    this.choice = choice;
    this.isGathering = true;
    const nth = ++this.#asked;
    try {
      const files = await this.host.gatherDiagnostics(choice);
      // A later tick has the word.
      if (nth !== this.#asked) return;
      this.files = files;
      this.fault = undefined;
    } catch (cause) {
      if (nth !== this.#asked) return;
      this.files = [];
      this.fault = hostError(cause);
    }
    this.isGathering = false;
  }

  /** Where it was saved; undefined when no place was chosen or it failed. */
  async save(): Promise<string | undefined> {
    if (this.isGathering || this.files.length === 0) return undefined;
    try {
      const path = await this.host.saveDiagnostics();
      this.fault = undefined;
      return path ?? undefined;
    } catch (cause) {
      this.fault = hostError(cause);
      return undefined;
    }
  }
}
