import type { Host } from '../host';
import type { AncestorView, Change, ElementView } from '../types';

type ElementAnswers = Pick<Host, 'describeElement' | 'changeElement'>;

/** What a page of the scripted host says, and how another version of it is kept. */
export interface FakePages {
  source(versionId: string, path: string): string;
  /** Notes a version with another text of a file, opens it and gives its id. */
  keep(projectId: string, path: string, source: string): Promise<string>;
  open(projectId: string): string;
  standing(projectId: string): { open?: string; undoable: number; redoable: number };
}

export interface Tag {
  at: number;
  end: number;
  name: string;
  classes: string[];
  id: string | undefined;
  depth: AncestorView[];
}

const VOID = new Set(['area', 'base', 'br', 'col', 'embed', 'hr', 'img', 'input', 'link', 'meta', 'source', 'track', 'wbr']);

/** Elements of well-made pages: the pages of the scripted host close what they open. */
export function tagsOf(source: string): Tag[] {
  const tags: Tag[] = [];
  const open: AncestorView[] = [];
  for (const found of source.matchAll(/<(\/?)([a-zA-Z][\w-]*)((?:"[^"]*"|'[^']*'|[^'">])*)>|<!--[\s\S]*?-->/g)) {
    const [whole, slash, name, rest] = found;
    if (name === undefined) continue;
    if (slash) {
      open.length = Math.max(0, open.findLastIndex((tag) => tag.name.split(/[.#]/)[0] === name.toLowerCase()));
      continue;
    }
    const value = (of: string) => new RegExp(`\\b${of}="([^"]*)"`).exec(rest ?? '')?.[1];
    const classes = (value('class') ?? '').split(/\s+/).filter(Boolean);
    const id = value('id');
    const own = `${name.toLowerCase()}${id ? `#${id}` : classes[0] ? `.${classes[0]}` : ''}`;
    const self = { name: own, at: found.index };
    tags.push({ at: found.index, end: found.index + whole.length, name: name.toLowerCase(), classes, id, depth: [...open, self] });
    if (!VOID.has(name.toLowerCase()) && !(rest ?? '').endsWith('/')) open.push(self);
  }
  return tags;
}

export const versionOf = (source: string): string => `${source.length}`;

export function fakeElements(pages: FakePages): ElementAnswers {
  const find = (source: string, pick: { at: number; version: string }) => {
    const tags = tagsOf(source);
    const tag = tags.find(({ at }) => at === pick.at);
    if (!tag) throw { code: 'stale_pick', message: `no element begins at byte ${pick.at} of the page; pick an element again` };
    return { tags, tag };
  };
  const textOf = (source: string, { end }: Tag) => source.slice(end, source.indexOf('<', end) < 0 ? undefined : source.indexOf('<', end));
  return {
    describeElement: async (_project, versionId, path, pick): Promise<ElementView> => {
      const source = pages.source(versionId, path);
      const { tags, tag } = find(source, pick);
      const alike = tags.filter((other) => other.name === tag.name && other.classes.join(' ') === tag.classes.join(' '));
      const inside = (of: Tag) => tags.filter((other) => other.depth.at(-2)?.at === of.at);
      const around = tags.find(({ at }) => at === tag.depth.at(-2)?.at);
      const siblings = around ? inside(around) : [];
      const place = siblings.indexOf(tag);
      const text = textOf(source, tag).trim();
      const written = [...source.slice(tag.at, tag.end).matchAll(/([\w-]+)="([^"]*)"/g)].map(([, name, value]): [string, string] => [name ?? '', value ?? '']);
      return {
        pick,
        tag: tag.name,
        path: tag.depth.map(({ name }) => name).join(' > '),
        number: alike.indexOf(tag) + 1,
        alike: alike.length,
        texts: text === '' ? [] : [text],
        hasElements: inside(tag).length > 0,
        attributes: written,
        classes: tag.classes,
        style: [],
        parent: around ? { at: around.at, version: pick.version } : null,
        line: source.slice(0, tag.at).split('\n').length,
        ancestors: tag.depth,
        firstChild: inside(tag)[0]?.at ?? null,
        previous: siblings[place - 1]?.at ?? null,
        next: siblings[place + 1]?.at ?? null,
        alikeAt: alike.map(({ at }) => at),
        alikeTexts: new Set(alike.map((other) => textOf(source, other))).size,
      };
    },
    changeElement: async ({ projectId, path, pick, change }) => {
      const source = pages.source(pages.open(projectId), path);
      const { tag } = find(source, pick);
      if (versionOf(source) !== pick.version) throw { code: 'stale_pick', message: 'the page has changed since the element was picked; pick it again' };
      const changed = changedSource(source, tag, change);
      const versionId = await pages.keep(projectId, path, changed);
      return { versionId, standing: pages.standing(projectId), pick: { at: pick.at, version: versionOf(changed) }, changed: 1 };
    },
  };
}

function changedSource(source: string, tag: Tag, change: Change): string {
  if (change.kind === 'text') return source.slice(0, tag.end) + change.text + source.slice(source.indexOf('<', tag.end));
  const added = change.kind === 'setStyle' ? ` style="${change.property}: ${change.value}"` : change.kind === 'setAttribute' ? ` ${change.name}="${change.value}"` : '';
  return source.slice(0, tag.end - 1) + added + source.slice(tag.end - 1);
}
