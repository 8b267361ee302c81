import { hostError, type HostError } from '../ipc/error';
import type { Host } from '../ipc/host';
import type { Change, ElementPick, ElementView, Reach } from '../ipc/types';
import type { FrameHit } from '../lib/frameMessages';
import type { Asked } from './frameQuestions';

/** The page that is seen. */
export interface SeenPage {
  projectId: string;
  versionId: string;
  path: string;
}

export interface SelectionPorts {
  ask(question: Asked): Promise<FrameHit | undefined>;
  /** None while the page is not kept: it is still being written. */
  page(): SeenPage | undefined;
  /** Does what gives another version of the page that is seen, and shows it. */
  edit(act: () => Promise<void>): Promise<boolean>;
  onfail(error: HostError): void;
}

/** An element that was chosen: what its source says, and what its frame claims. */
export interface Chosen {
  element: ElementView;
  hit: FrameHit;
}

type Point = { x: number; y: number };
export type Way = 'parent' | 'child' | 'previous' | 'next';

/** The element under the pointer and the one that is chosen, to be changed by hand. */
export class SelectionController {
  isActive = $state(false);
  hover = $state.raw<FrameHit | undefined>();
  chosen = $state.raw<Chosen | undefined>();
  reach = $state<Reach>('one');
  /** What was made by a script has no place in the source: the nearest element around it was chosen. */
  isAround = $state(false);
  /** Nothing was found where somebody pointed: there is nothing, or the page does not say. */
  isSilent = $state(false);
  /** Why the last change was not made. */
  fault = $state.raw<HostError | undefined>();
  isChanging = $state(false);

  #point: Point | undefined;
  #isAsking = false;
  /** Counts the choices: the answer to an older one is not taken. */
  #choices = 0;

  constructor(
    private readonly host: Pick<Host, 'describeElement' | 'changeElement'>,
    private readonly ports: SelectionPorts,
  ) {}

  toggle(): void {
    if (this.isActive) this.leave();
    else this.isActive = true;
  }

  leave(): void {
    this.isActive = false;
    this.drop();
  }

  /** Nothing is chosen any more; choosing goes on. */
  drop(): void {
    this.#choices += 1;
    this.#point = undefined;
    this.hover = undefined;
    this.chosen = undefined;
    this.isAround = false;
    this.isSilent = false;
    this.fault = undefined;
    this.reach = 'one';
  }

  /** The pointer is at a point of the page; one question at a time is enough. */
  point(x: number, y: number): void {
    this.#point = { x, y };
    void this.#follow();
  }

  pointAway(): void {
    this.#point = undefined;
    this.hover = undefined;
  }

  async choose(x: number, y: number): Promise<void> {
    await this.#take({ k: 'pick', x, y, whole: true });
  }

  async chooseAt(at: number): Promise<void> {
    await this.#take({ k: 'find', at, whole: true, reveal: true });
  }

  /** Goes from the chosen element to one beside it in the tree. */
  async go(way: Way): Promise<void> {
    const { chosen } = this;
    if (!chosen) return;
    const { parent, firstChild, previous, next } = chosen.element;
    const at = { parent: parent?.at, child: firstChild, previous, next }[way];
    if (at !== undefined && at !== null) await this.chooseAt(at);
  }

  /** Changes the chosen element, or all alike. Whether it was done; why not stands in `fault`. */
  async change(change: Change): Promise<boolean> {
    const { chosen, reach } = this;
    const page = this.ports.page();
    if (!chosen || !page || this.isChanging) return false;
    this.isChanging = true;
    this.fault = undefined;
    const done = await this.ports.edit(async () => {
      try {
        const { projectId, path } = page;
        const { pick } = await this.host.changeElement({ projectId, path, pick: chosen.element.pick, change, reach });
        if (this.chosen === chosen) this.chosen = { ...chosen, element: { ...chosen.element, pick } };
      } catch (cause) {
        this.fault = hostError(cause);
        throw cause;
      }
    });
    this.isChanging = false;
    return done;
  }

  /** The page moved under the glass, or another one lies there. */
  async look(): Promise<void> {
    void this.#follow();
    const { chosen } = this;
    if (!chosen) return;
    const { at } = chosen.element.pick;
    const hit = await this.ports.ask({ k: 'find', at, kth: chosen.hit.kth, whole: true });
    if (this.chosen?.element.pick.at !== at) return;
    if (hit?.version === this.chosen.element.pick.version) this.chosen = { ...this.chosen, hit };
  }

  /** Another page lies there: what was chosen is found in it again, or is not chosen any more. */
  async lookAnew(): Promise<void> {
    this.pointAway();
    const { chosen } = this;
    if (!chosen) return;
    const choice = this.#choices;
    const { pick, tag, path } = chosen.element;
    const hit = await this.ports.ask({ k: 'find', at: pick.at, kth: chosen.hit.kth, whole: true });
    const element = await this.#describe(hit);
    if (choice !== this.#choices) return;
    // A page that was changed elsewhere may have another element at this place.
    if (hit && element && (hit.version === pick.version || (element.tag === tag && element.path === path))) this.chosen = { element, hit };
    else this.drop();
  }

  async #follow(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    for (let asked: Point | undefined; this.#point && this.#point !== asked; ) {
      asked = this.#point;
      const hit = await this.ports.ask({ k: 'pick', ...asked });
      if (this.#point) this.hover = hit;
    }
    this.#isAsking = false;
  }

  async #take(question: Asked): Promise<void> {
    this.#choices += 1;
    const choice = this.#choices;
    let hit = await this.ports.ask(question);
    const isAround = hit?.isMade === true;
    if (hit?.at !== undefined && isAround) hit = await this.ports.ask({ k: 'find', at: hit.at, whole: true });
    const element = await this.#describe(hit);
    if (choice !== this.#choices) return;
    this.isSilent = !hit || !element;
    if (!hit || !element) return;
    this.fault = undefined;
    if (element.alike < 2 || !this.#isAlike(element)) this.reach = 'one';
    this.isAround = isAround;
    this.chosen = { element, hit };
  }

  #isAlike(element: ElementView): boolean {
    return this.chosen?.element.alikeAt.includes(element.pick.at) === true;
  }

  async #describe(hit: FrameHit | undefined): Promise<ElementView | undefined> {
    const page = this.ports.page();
    const pick: ElementPick | undefined = hit?.at === undefined || hit.version === undefined ? undefined : { at: hit.at, version: hit.version };
    if (!page || !pick) return undefined;
    try {
      return await this.host.describeElement(page.projectId, page.versionId, page.path, pick);
    } catch (cause) {
      const error = hostError(cause);
      // A page that claims a place where nothing stands has nothing to choose; the window says nothing of it.
      if (error.code !== 'stale_pick') this.ports.onfail(error);
      return undefined;
    }
  }
}
