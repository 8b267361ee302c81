// The program's own half of a preview frame. It runs before anything of the page and talks to the window around
// it. Page scripts share this world: what they may break later is taken aside first, and nothing here is secret
// once they run.
(() => {
  const tag = document.currentScript;
  const isStream = tag.dataset.fxBoot === 'stream';
  const mark = tag.dataset.fxMark;
  const version = tag.dataset.fxVersion;
  const nonce = tag.nonce;
  const scrollAtStart = Number(new URLSearchParams(location.search).get('y')) || 0;
  // The page must look as if we had never been in it.
  tag.remove();

  const win = window;
  const doc = document;
  const shell = win.parent;
  const { scrollTo, scrollBy, setTimeout, requestAnimationFrame, addEventListener, removeEventListener, CSS } = win;
  const { PerformanceObserver, getComputedStyle } = win;
  const { open, write, close, elementsFromPoint, querySelectorAll } = Document.prototype;
  const { closest, getAttribute, getBoundingClientRect, scrollIntoView } = Element.prototype;

  const tell = (message) => shell.postMessage(message, '*');
  const nextFrame = () => new Promise((resolve) => requestAnimationFrame.call(win, resolve));
  const pause = (ms) => new Promise((resolve) => setTimeout.call(win, resolve, ms));
  const jump = (y) => scrollTo.call(win, { top: y, behavior: 'instant' });

  // Writing.

  // In the units of the sender, that is before the mark became the nonce; -1 until the first `open`.
  let held = -1;

  const begin = () => {
    open.call(doc);
    listen();
    held = 0;
    reportsLeft = REPORTS;
    tell({ k: 'opened' });
  };

  const add = ({ base, text }) => {
    if (base !== held) return tell({ k: 'resync', have: held });
    write.call(doc, mark ? text.split(mark).join(nonce) : text);
    held += text.length;
    holdStill();
  };

  // Styles arrive while the page is drawn, and each arrival would set off its transitions.
  const holdStill = () => {
    const root = doc.documentElement;
    if (!root || doc.querySelector('style[data-fx-still]')) return;
    const style = doc.createElement('style');
    style.setAttribute('data-fx-still', '');
    style.textContent = '*, ::before, ::after { transition: none !important; animation: none !important; scroll-behavior: auto !important }';
    root.append(style);
  };

  // How far down the page is drawn; a page that scrolls fills its frame whatever its body says.
  const writtenHeight = () => {
    const { body, documentElement: root } = doc;
    if (!body || !root) return 0;
    if (root.scrollHeight > root.clientHeight) return root.scrollHeight;
    return Math.max(0, getBoundingClientRect.call(body).bottom + win.scrollY);
  };

  // Pointing.

  const wornBy = (node) => getComputedStyle.call(win, node);

  // What lies under a text: the nearest ground around it that hides what is behind.
  const groundBehind = (node) => {
    for (let up = node; up; up = up.parentElement) {
      const { backgroundColor, backgroundImage } = wornBy(up);
      if (backgroundImage !== 'none') return 'picture';
      if (!/^transparent$|[,/] ?0(\.\d+)?%?\)$/.test(backgroundColor)) return backgroundColor;
    }
    return 'rgb(255, 255, 255)';
  };

  const lookOf = (node) => {
    const worn = wornBy(node);
    const sides = (name) => ['Top', 'Right', 'Bottom', 'Left'].map((side) => worn[name + side]);
    return {
      color: worn.color,
      ground: worn.backgroundColor,
      behind: groundBehind(node),
      family: worn.fontFamily,
      size: worn.fontSize,
      weight: worn.fontWeight,
      align: worn.textAlign,
      radius: worn.borderTopLeftRadius,
      margin: sides('margin'),
      padding: sides('padding'),
      picture: node.naturalWidth > 0 ? [node.naturalWidth, node.naturalHeight] : null,
    };
  };

  const twinsOf = (address) => [...querySelectorAll.call(doc, `[data-fx="${CSS.escape(address)}"]`)];

  const present = (id, hit, isWhole) => {
    const home = closest.call(hit, '[data-fx]');
    const address = home ? getAttribute.call(home, 'data-fx') : null;
    const twins = home ? twinsOf(address) : [];
    const box = getBoundingClientRect.call(hit);
    tell({
      k: 'pick',
      id,
      rect: { x: box.left, y: box.top, w: box.width, h: box.height },
      at: home ? Number(address) : null,
      made: home !== hit,
      kth: twins.indexOf(home),
      of: twins.length,
      version,
      look: isWhole ? lookOf(hit) : null,
    });
  };

  // What lies at a point; `whole` asks for how it looks as well.
  const pick = ({ id, x, y, depth, whole }) => {
    const stack = elementsFromPoint.call(doc, x, y);
    const hit = stack[Math.min(depth || 0, stack.length - 1)];
    if (!hit) return tell({ k: 'pick', id });
    present(id, hit, whole);
  };

  // An element that is known by its address, whatever lies over it.
  const find = ({ id, at, kth, whole, reveal }) => {
    const twins = twinsOf(String(at));
    const hit = twins[Math.min(Math.max(0, kth || 0), twins.length - 1)];
    if (!hit) return tell({ k: 'pick', id });
    if (reveal) scrollIntoView.call(hit, { block: 'nearest', inline: 'nearest', behavior: 'instant' });
    present(id, hit, whole);
  };

  // A page that broke what is needed to answer has nothing there, and the window hears so at once.
  const answering = (answer, question) => {
    try {
      answer(question);
    } catch {
      tell({ k: 'pick', id: question.id });
    }
  };

  // Listening.

  const obey = (order) => {
    switch (order.k) {
      // A page whose scripts have run cannot be written anew: its timers and names would live on.
      case 'open': return isStream && begin();
      case 'text': return isStream && add(order);
      case 'close':
        if (!isStream) return;
        close.call(doc);
        return tell({ k: 'closed', len: held });
      case 'scroll': return jump(order.y);
      case 'wheel': return scrollBy.call(win, order.dx, order.dy);
      case 'ping': return tell({ k: 'pong', n: order.n, y: win.scrollY, h: writtenHeight() });
      case 'pick': return answering(pick, order);
      case 'find': return answering(find, order);
    }
  };

  // A page may break one rule a thousand times; the window drops frames that talk too much.
  const REPORTS = 100;
  let reportsLeft = REPORTS;
  const report = (message) => {
    if (reportsLeft <= 0) return;
    reportsLeft -= 1;
    tell(message);
  };
  const nameOf = (node) =>
    node instanceof Element ? `${node.localName} ${getAttribute.call(node, 'src') ?? getAttribute.call(node, 'href') ?? ''}` : '';

  let lastY = 0;
  const heard = (event) => {
    if (event.source === shell && event.data !== null && typeof event.data === 'object') obey(event.data);
  };
  const failed = (event) => report({ k: 'error', m: String(event.message || nameOf(event.target)) });
  const blocked = (event) => report({ k: 'blocked', d: event.violatedDirective, u: event.blockedURI });
  const scrolled = () => {
    if (win.scrollY === lastY) return;
    lastY = win.scrollY;
    tell({ k: 'y', y: lastY });
  };
  const ears = [
    ['message', heard, false],
    ['error', failed, true],
    ['securitypolicyviolation', blocked, true],
    ['scroll', scrolled, { capture: true, passive: true }],
  ];
  const listen = () => {
    for (const [name, ear, how] of ears) {
      removeEventListener.call(win, name, ear, how);
      addEventListener.call(win, name, ear, how);
    }
  };

  // A page that writes after it was loaded begins a new document, and with the old one our listeners go.
  for (const name of ['open', 'write', 'writeln']) {
    const native = Document.prototype[name];
    Document.prototype[name] = {
      [name](...given) {
        const result = native.apply(this, given);
        if (this === doc) listen();
        return result;
      },
    }[name];
  }

  // A finished page says when it can be shown.

  const hasStyles = () =>
    !doc.querySelector('script[src^="/lib/@tailwindcss/"]') ||
    [...querySelectorAll.call(doc, 'style')].some((style) => style.textContent.includes('tailwindcss v'));

  // A frame callback says that drawing was asked for, the browser's own entry that something was shown. A page with
  // nothing to show makes no entry.
  const firstPaint = () =>
    Promise.race([
      new Promise((resolve) => new PerformanceObserver(resolve).observe({ type: 'paint', buffered: true })),
      pause(400),
    ]);

  const showWhenPainted = async () => {
    if (doc.readyState !== 'complete') {
      await new Promise((resolve) => addEventListener.call(win, 'load', resolve, { once: true }));
    }
    await Promise.race([doc.fonts.ready, pause(400)]);
    for (let waitedMs = 0; !hasStyles() && waitedMs < 600; waitedMs += 8) await pause(8);
    jump(scrollAtStart);
    await firstPaint();
    await nextFrame();
    await nextFrame();
    tell({ k: 'painted', y: win.scrollY, h: doc.documentElement.scrollHeight });
  };

  listen();
  tell({ k: 'ready' });
  if (!isStream) showWhenPainted();
})();
