import type { EngineChoice } from '../ipc/types';
import { isTracer } from '../lib/engines';

/** What a page can be written in, in the order it is offered. */
export const STACKS = ['html-tailwind', 'html-css', 'bootstrap', 'react-tailwind', 'vue-tailwind', 'ionic-tailwind', 'svg'] as const;
export type StackName = (typeof STACKS)[number];
export const MOST_OPTIONS = 4;

/** What the next run is made with: an engine per option and a stack. */
export class RunSetup {
  optionCount = $state(1);
  modelStack = $state<StackName>('html-tailwind');
  #forNew: StackName | undefined;
  #chosen = $state.raw<readonly (string | undefined)[]>([]);

  constructor(private readonly ready: () => readonly EngineChoice[]) {}

  /** Takes the stack of a project; what was chosen for new projects waits. */
  enter(stack: string | undefined): void {
    this.#forNew ??= this.modelStack;
    this.modelStack = STACKS.find((known) => known === stack) ?? this.#forNew;
  }

  /** Back to what was chosen for new projects. */
  leave(): void {
    this.modelStack = this.#forNew ?? this.modelStack;
    this.#forNew = undefined;
  }

  /** The engine of an option; one that was not chosen works like the first. */
  engineOf(index: number): EngineChoice | undefined {
    const engines = this.ready();
    const chosen = engines.find((engine) => engine.id === this.#chosen[index]);
    return chosen ?? (index > 0 ? this.engineOf(0) : engines[0]);
  }

  choose(index: number, engine: string): void {
    const chosen = Array.from({ length: MOST_OPTIONS }, (_, at) => this.#chosen[at]);
    chosen[index] = engine;
    this.#chosen = chosen;
  }

  /** Whether there can be several: the tracer makes the same page every time. */
  get canCompare(): boolean {
    const first = this.engineOf(0);
    return first !== undefined && !isTracer(first.id);
  }

  /** The engine of each option. */
  get options(): EngineChoice[] {
    const count = this.canCompare ? this.optionCount : 1;
    return Array.from({ length: count }, (_, index) => this.engineOf(index)).filter((engine) => engine !== undefined);
  }

  get engineIds(): string[] {
    return this.options.map((engine) => engine.id);
  }

  get hasModel(): boolean {
    return this.options.some((engine) => !isTracer(engine.id));
  }

  /** Whether an option can do nothing without a picture. */
  get needsPicture(): boolean {
    return this.options.some((engine) => isTracer(engine.id));
  }

  get stack(): StackName {
    return this.hasModel ? this.modelStack : 'html-css';
  }
}
