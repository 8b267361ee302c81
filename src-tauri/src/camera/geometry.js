// Reads what is visible on the page, in a world of its own. Gives JSON of bounded size, whatever the page is.
// Getters and methods are taken from the prototypes: a form field may be called `body` or `parentElement`.
(() => {
  const MAX_NODES = 150000, MAX_TEXTS = 4000, MAX_BOXES = 4000, MAX_LINE = 1000, MAX_LETTERS = 200000, MAX_NOTES = 40;
  const deadline = performance.now() + 4000;
  const getter = (of, name) => { const { get } = Object.getOwnPropertyDescriptor(of.prototype, name); return (it) => get.call(it); };
  const method = (of, name) => { const it = of.prototype[name]; return (self, ...given) => it.apply(self, given); };
  const root = getter(Document, 'documentElement')(document), body = getter(Document, 'body')(document);
  if (!root || !body) return JSON.stringify({ width: innerWidth, height: innerHeight, texts: [], boxes: [], images: [] });
  const parentOf = getter(Node, 'parentElement'), attribute = method(Element, 'getAttribute'), tagOf = getter(Element, 'localName');
  const rectOf = method(Element, 'getBoundingClientRect'), closest = method(Element, 'closest'), contains = method(Node, 'contains');
  const elementAt = method(Document, 'elementFromPoint'), make = method(Document, 'createElement');
  const width = innerWidth, height = innerHeight;
  const finite = (number, most = 1e6) => (Number.isFinite(number) ? Math.max(-most, Math.min(most, Math.round(number * 100) / 100)) : 0);
  const px = (text) => { const number = parseFloat(text); return Number.isFinite(number) ? number : 0; };

  const pen = make(document, 'canvas').getContext('2d', { willReadFrequently: true });
  const inks = new Map();
  const ink = (css) => {
    if (!inks.has(css)) {
      if (inks.size > 5000) return [0, 0, 0, 1];
      pen.clearRect(0, 0, 1, 1);
      pen.fillStyle = '#000';
      pen.fillStyle = css;
      pen.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data;
      inks.set(css, [r, g, b, finite(a / 255)]);
    }
    return inks.get(css);
  };
  const over = (top, below) => top.slice(0, 3).map((channel, at) => channel * top[3] + below[at] * (1 - top[3]));

  // What an element passes on to what is in it: whether it is seen, how opaque, in which window, on which ground.
  const facts = new Map(), ids = new Map(), counts = new Map();
  const OUTSIDE = { seen: true, alpha: 1, left: 0, top: 0, right: width, bottom: height, ground: [255, 255, 255], parent: null };
  const enter = (element) => {
    const parent = parentOf(element), above = facts.get(parent) ?? OUTSIDE, tag = tagOf(element);
    const tally = counts.get(parent) ?? new Map();
    counts.set(parent, tally);
    const nth = (tally.get(tag) ?? 0) + 1;
    tally.set(tag, nth);
    const id = attribute(element, 'id');
    if (id && id.length < 80) ids.set(id, (ids.get(id) ?? 0) + 1);
    const fact = { ...above, parent, tag, nth, id, painted: false };
    facts.set(element, fact);
    if (!above.seen) return fact;
    const style = getComputedStyle(element);
    fact.style = style;
    if (style.display === 'none') { fact.seen = false; return fact; }
    fact.alpha = above.alpha * px(style.opacity);
    fact.shown = style.visibility === 'visible' && fact.alpha >= 0.1;
    fact.inSvg = above.inSvg || above.tag === 'svg';
    const isClipped = (style.overflowX !== 'visible' || style.overflowY !== 'visible') && element !== body && element !== root;
    if (isClipped || (style.clip !== 'auto' && style.position === 'absolute')) {
      const rect = rectOf(element);
      if (isClipped) Object.assign(fact, { left: Math.max(fact.left, rect.left), top: Math.max(fact.top, rect.top), right: Math.min(fact.right, rect.right), bottom: Math.min(fact.bottom, rect.bottom) });
      else if (rect.width <= 2) fact.seen = false;
    }
    const fill = ink(style.backgroundColor);
    if (style.backgroundImage !== 'none' || /^(img|video|canvas|svg)$/.test(tag)) fact.ground = null;
    else if (fill[3] > 0.98) fact.ground = fill.slice(0, 3);
    else if (fact.ground && fill[3] > 0) fact.ground = over(fill, fact.ground);
    return fact;
  };
  const selectors = new Map();
  const selector = (element) => {
    if (!selectors.has(element)) {
      const steps = [];
      for (let at = element; at && steps.length < 40; at = facts.get(at)?.parent) {
        const fact = facts.get(at);
        if (fact.id && ids.get(fact.id) === 1 && /^[A-Za-z][\w-]*$/.test(fact.id)) { steps.unshift(`#${fact.id}`); break; }
        if (at === body || at === root) { steps.unshift(fact.tag); break; }
        steps.unshift(`${fact.tag.slice(0, 60)}:nth-of-type(${fact.nth})`);
      }
      selectors.set(element, steps.join(' > '));
    }
    return selectors.get(element);
  };
  const address = (element) => { const at = Number(attribute(element, 'data-fx') ?? NaN); return Number.isSafeInteger(at) && at >= 0 ? { at } : {}; };

  let letters = 0, isCut = false;
  const pieces = [];
  const cased = (text, how) => (how === 'uppercase' ? text.toUpperCase() : how === 'lowercase' ? text.toLowerCase() : how === 'capitalize' ? text.replace(/(^|\s)\S/g, (first) => first.toUpperCase()) : text);
  const isOnTop = (element, fact, x, y) => {
    const hit = elementAt(document, Math.max(0, Math.min(width - 1, x)), Math.max(0, Math.min(height - 1, y)));
    return hit && (contains(hit, element) || contains(element, hit) || parentOf(hit) === fact.parent || tagOf(hit) === 'a' || tagOf(hit) === 'label' || fact.style.pointerEvents === 'none');
  };
  const keep = (text, rect, element, fact, style, color) => {
    const x = Math.max(rect.left, fact.left), y = Math.max(rect.top, fact.top);
    const w = Math.min(rect.right, fact.right) - x, h = Math.min(rect.bottom, fact.bottom) - y, size = px(style.fontSize);
    if (w < 2 || h < 4 || size < 5 || w < 0.4 * (rect.right - rect.left) || h < 0.5 * (rect.bottom - rect.top)) return;
    if (color[3] * fact.alpha < 0.1) return;
    if (![x + w / 2, x + 2, x + w - 2].some((at) => isOnTop(element, fact, at, y + h / 2))) return;
    if (pieces.length >= MAX_TEXTS) { isCut = true; return; }
    pieces.push({ text: cased(text.trim(), style.textTransform).slice(0, MAX_LINE), glue: [/^\s/.test(text), /\s$/.test(text)], x, y, w, h, fs: finite(size), fw: Math.max(1, Math.min(1000, Math.round(px(style.fontWeight)) || 400)),
      it: style.fontStyle !== 'normal', ff: style.fontFamily.slice(0, 120), color: color.slice(0, 3), alpha: finite(color[3] * fact.alpha), align: style.textAlign, element, ground: fact.ground });
  };
  const textColor = (style) => ink(style.webkitTextFillColor || style.color);
  const range = new Range();
  const rects = (node, from, to) => { range.setStart(node, from); range.setEnd(node, to); return [...range.getClientRects()].filter((rect) => rect.width > 0.5); };
  const readText = (node) => {
    const element = parentOf(node), fact = facts.get(element);
    if (!fact?.seen || !fact.shown || /^(script|style|noscript|template|textarea|option|title)$/.test(fact.tag)) return;
    if (fact.inSvg && !/^(text|tspan|textPath)$/.test(fact.tag)) return;
    const whole = node.data;
    if (whole.length > MAX_LETTERS - letters) isCut = true;
    const text = whole.slice(0, Math.max(0, MAX_LETTERS - letters));
    // Private letters are icons.
    if (!text.trim() || /[\ue000-\uf8ff]/.test(text)) return;
    letters += text.length;
    const style = fact.style, color = textColor(style), all = rects(node, 0, text.length);
    if (all.length === 1) return keep(text.replace(/\s+/g, ' '), all[0], element, fact, style, color);
    let line = null;
    const close = () => { if (line) keep(line.text, line, element, fact, style, color); line = null; };
    const add = (word, rect, glue) => {
      if (line && Math.abs(line.top - rect.top) < rect.height / 2 && rect.left >= line.right - 2) {
        line.text += glue + word;
        line.right = rect.right;
        line.bottom = Math.max(line.bottom, rect.bottom);
      } else { close(); line = { text: word, left: rect.left, right: rect.right, top: rect.top, bottom: rect.bottom }; }
    };
    for (const { 0: word, index } of all.length ? text.matchAll(/\S+/g) : []) {
      if (performance.now() > deadline) { isCut = true; break; }
      const places = rects(node, index, index + word.length);
      if (places.length === 1) { add(word, places[0], ' '); continue; }
      // A word on several lines, as in scripts without blanks.
      let at = index, glue = ' ';
      for (const letter of places.length ? word : '') {
        const [place] = rects(node, at, at + letter.length);
        if (place) add(letter, place, glue);
        at += letter.length;
        glue = '';
      }
    }
    close();
  };
  const readField = (element, fact) => {
    const { tag, style } = fact;
    if (tag === 'input' && /^(checkbox|radio|range|color|file|hidden|image)$/.test(attribute(element, 'type') ?? '')) return;
    const own = tag === 'select' ? getter(HTMLSelectElement, 'selectedOptions')(element)[0]?.text : getter(tag === 'input' ? HTMLInputElement : HTMLTextAreaElement, 'value')(element);
    const value = String(own ?? '').slice(0, MAX_LINE), kind = (attribute(element, 'type') ?? '').toLowerCase();
    const text = (kind === 'password' && value ? '' : value || (tag === 'select' ? '' : attribute(element, 'placeholder') ?? '')).slice(0, MAX_LINE).replace(/\s+/g, ' ').trim();
    if (!text) return;
    const color = value ? textColor(style) : ink(getComputedStyle(element, '::placeholder').color), rect = rectOf(element);
    const inset = px(style.paddingLeft) + px(style.borderLeftWidth), room = rect.width - inset - px(style.paddingRight) - px(style.borderRightWidth);
    pen.font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    const long = Math.min(pen.measureText(text).width, room), high = px(style.lineHeight) || 1.2 * px(style.fontSize);
    if (!(long > 1)) return;
    const isCentred = /^(submit|button|reset)$/.test(kind) || style.textAlign === 'center';
    const left = isCentred ? rect.left + (rect.width - long) / 2 : rect.left + inset;
    const middle = tag === 'textarea' ? rect.top + px(style.paddingTop) + px(style.borderTopWidth) + high / 2 : rect.top + rect.height / 2;
    keep(text, { left, right: left + long, top: middle - high / 2, bottom: middle + high / 2 }, element, fact, style, color);
  };

  const boxes = [], images = [], wide = [];
  const readBox = (element, fact) => {
    const { tag, style } = fact, rect = rectOf(element);
    if (rect.right > width + 1 && fact.right >= width && wide.length < 10 && rect.width > 1) wide.push({ selector: selector(element), right: finite(rect.right) });
    const x = Math.max(rect.left, fact.left), y = Math.max(rect.top, fact.top), w = Math.min(rect.right, fact.right) - x, h = Math.min(rect.bottom, fact.bottom) - y;
    if (!(w >= 3 && h >= 3)) return;
    const fill = ink(style.backgroundColor), bgi = style.backgroundImage !== 'none', img = /^(img|canvas|video|svg)$/.test(tag), sh = style.boxShadow !== 'none';
    const bw = ['Top', 'Right', 'Bottom', 'Left'].map((side) => (style[`border${side}Style`] === 'none' ? 0 : finite(px(style[`border${side}Width`]))));
    if (fill[3] <= 0.02 && !bgi && !img && !sh && !bw.some((side) => side > 0)) return;
    if (boxes.length >= MAX_BOXES) { isCut = true; return; }
    // What is seen of an edge that lets its ground through.
    const edge = ink(style.borderTopColor), bc = (fact.ground ? over(edge, fact.ground) : edge.slice(0, 3)).map(Math.round);
    const place = { x: finite(x), y: finite(y), w: finite(w), h: finite(h) }, name = { selector: selector(element), ...address(element) };
    boxes.push({ tag: tag.slice(0, 60), ...place, bg: fill[3] > 0.02 ? fill : null, bw, bc, r: finite(px(style.borderTopLeftRadius)), img, bgi, sh, ...(sh ? { shadow: style.boxShadow.slice(0, 200) } : {}), ...name });
    if (img) images.push({ ...place, ...name });
  };

  const walker = method(Document, 'createTreeWalker')(document, root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
  const laid = [];
  let nodes = 0;
  for (let node = root; node; node = walker.nextNode()) {
    if (++nodes > MAX_NODES || performance.now() > deadline) { isCut = true; break; }
    if (node instanceof Text) laid.push(node);
    else if (node instanceof Element) {
      const fact = enter(node);
      if (fact.seen && fact.shown && !fact.inSvg && !/^(script|style|noscript|template|link|meta|option|head|title)$/.test(fact.tag)) laid.push(node);
    }
  }
  // Only now all ids are counted.
  for (const node of laid) {
    if (performance.now() > deadline) { isCut = true; break; }
    if (node instanceof Text) { readText(node); continue; }
    const fact = facts.get(node);
    readBox(node, fact);
    if (/^(input|textarea|select)$/.test(fact.tag) && node instanceof HTMLElement) readField(node, fact);
  }

  // Neighbours on one line are one line.
  pieces.sort((a, b) => a.x - b.x);
  const lines = [];
  for (const piece of pieces) {
    const middle = piece.y + piece.h / 2;
    const line = lines.find((one) => {
      const em = Math.min(one.fs, piece.fs), gap = piece.x - one.x - one.w;
      return gap > -0.25 * em && gap < 0.5 * em && Math.abs(one.y + one.h / 2 - middle) <= 0.35 * Math.min(one.h, piece.h) && Math.max(one.fs, piece.fs) / em <= 1.35;
    });
    if (!line) { lines.push({ ...piece, longest: piece.w }); continue; }
    const gap = piece.x - line.x - line.w, bottom = Math.max(line.y + line.h, piece.y + piece.h);
    line.text = (line.text + (gap > 0.12 * Math.min(line.fs, piece.fs) || line.glue[1] || piece.glue[0] ? ' ' : '') + piece.text).slice(0, MAX_LINE);
    if (piece.w > line.longest) Object.assign(line, { color: piece.color, fs: piece.fs, fw: piece.fw, element: piece.element, longest: piece.w, ground: piece.ground });
    line.glue = [line.glue[0], piece.glue[1]];
    line.y = Math.min(line.y, piece.y);
    line.h = bottom - line.y;
    line.w = piece.x + piece.w - line.x;
  }
  lines.sort((a, b) => a.y - b.y || a.x - b.x);

  const light = (color) => { const [r, g, b] = color.map((channel) => { const share = channel / 255; return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const faint = [], texts = [];
  for (const { element, ground, longest, glue, ...line } of lines) {
    const name = { tag: facts.get(element).tag.slice(0, 60), selector: selector(element), ...address(element) };
    texts.push({ ...line, x: finite(line.x), y: finite(line.y), w: finite(line.w), h: finite(line.h), ...name });
    if (!ground || faint.length >= MAX_NOTES) continue;
    const [low, high] = [light(over([...line.color, line.alpha], ground)), light(ground)].sort((a, b) => a - b);
    const ratio = (high + 0.05) / (low + 0.05), needed = line.fs >= 24 || (line.fs >= 18.66 && line.fw >= 700) ? 3 : 4.5;
    if (ratio < needed) faint.push({ selector: name.selector, text: line.text.slice(0, 80), ratio: finite(ratio), needed });
  }
  const full = Math.max(root.scrollHeight, body.scrollHeight, 0);
  return JSON.stringify({ width, height: full, scrollWidth: finite(Math.max(root.scrollWidth, width)), title: String(getter(Document, 'title')(document)).slice(0, 300), texts, boxes, images,
    overflow: wide, contrast: faint, errors: (globalThis.facsimileTrouble ?? []).slice(0, MAX_NOTES), cut: isCut });
})()
