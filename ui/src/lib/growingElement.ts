const OPEN_TAG = /<([a-z][\w-]*)((?:\s[^<>]*)?)>/gi;
const UNSEEN = new Set(['html', 'head', 'meta', 'link', 'title', 'style', 'script', 'br', 'hr',
  // The insides of a drawing are told as the drawing.
  'circle', 'clippath', 'defs', 'ellipse', 'filter', 'g', 'line', 'lineargradient', 'mask', 'path', 'pattern', 'polygon',
  'polyline', 'radialgradient', 'rect', 'stop', 'symbol', 'tspan', 'use']);

/** The element a growing page is in: `article.card`. Nothing while only the head is there. */
export function growingElement(tail: string): string | undefined {
  const tags = [...tail.matchAll(OPEN_TAG)];
  const last = tags.findLast(([, name]) => name !== undefined && !UNSEEN.has(name.toLowerCase()));
  if (!last?.[1]) return undefined;
  const name = last[1].toLowerCase();
  const first = /\sclass=["']?([\w-]+)/i.exec(last[2] ?? '')?.[1];
  return first ? `${name}.${first}` : name;
}
