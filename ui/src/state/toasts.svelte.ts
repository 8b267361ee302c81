export type ToastTone = 'good' | 'warn' | 'bad' | 'plain';

export interface ToastAction {
  label: string;
  run(): void;
}

/** One sentence and at most one way on. */
export interface Toast {
  id: number;
  tone: ToastTone;
  lead: string;
  rest?: string;
  action?: ToastAction;
}

const MOST = 3;

/** The messages at the foot of the window, newest last. */
export class Toasts {
  list = $state.raw<readonly Toast[]>([]);
  #ids = 0;

  show(tone: ToastTone, lead: string, more: { rest?: string; action?: ToastAction } = {}): void {
    this.#ids += 1;
    this.list = [...this.list, { id: this.#ids, tone, lead, ...more }].slice(-MOST);
  }

  dismiss = (id: number): void => {
    this.list = this.list.filter((toast) => toast.id !== id);
  };
}
