import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import type { Connect, Plugin } from 'vite';
import { longPage } from './longPage';

/** The window's own policy, with this server in the place of the preview scheme. */
const WINDOW_POLICY =
  "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; frame-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'";
const STREAM_POLICY =
  "default-src 'none'; script-src 'nonce-fake'; style-src 'unsafe-inline'; img-src data: blob:; font-src data:; connect-src 'none'; form-action 'none'; base-uri 'none'; frame-src 'none'; object-src 'none'";
const PAGE_POLICY =
  "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:; font-src data:; connect-src 'none'; form-action 'none'; base-uri 'none'; frame-src 'none'; object-src 'none'";

/** Speaks the messages of the real boot script, and tells the height of the page with each pong. */
const BOOT = `(() => {
  const shell = parent, root = document, { open, write, close } = Document.prototype;
  const say = (message) => shell.postMessage(message, '*');
  const height = () => root.body ? root.body.getBoundingClientRect().bottom + scrollY : 0;
  let length = -1;
  const orders = {
    open() { open.call(root); arm(); length = 0; say({ k: 'opened' }); },
    text({ base, text }) {
      if (base !== length) return say({ k: 'resync', have: length });
      write.call(root, text);
      length += text.length;
    },
    close() { close.call(root); say({ k: 'closed', len: length }); },
    scroll({ y }) { scrollTo({ top: y, behavior: 'instant' }); },
    wheel({ dx, dy }) { scrollBy(dx, dy); },
    ping({ n }) { say({ k: 'pong', n, y: scrollY, h: height() }); },
  };
  const heard = (event) => { if (event.source === shell && event.data && Object.hasOwn(orders, event.data.k)) orders[event.data.k](event.data); };
  const scrolled = () => say({ k: 'y', y: scrollY });
  const arm = () => {
    removeEventListener('message', heard); addEventListener('message', heard);
    removeEventListener('scroll', scrolled, true); addEventListener('scroll', scrolled, { passive: true, capture: true });
  };
  arm();
  say({ k: 'ready' });
  if (location.pathname.endsWith('/stream.html')) return;
  const painted = () => {
    orders.scroll({ y: Number(new URLSearchParams(location.search).get('y')) || 0 });
    // Two frames say that drawing was asked for, the browser's own paint entry that it was shown.
    const shown = () => requestAnimationFrame(() => requestAnimationFrame(() => say({ k: 'painted', y: scrollY, h: root.documentElement.scrollHeight })));
    let waits = true;
    const once = () => { if (waits) shown(); waits = false; };
    new PerformanceObserver(once).observe({ type: 'paint', buffered: true });
    setTimeout(once, 400);
  };
  root.readyState === 'complete' ? painted() : addEventListener('load', painted, { once: true });
})()`;

const PAGES = fileURLToPath(new URL('./pages/', import.meta.url));

function pageSource(name: string): string {
  if (name === 'long') return longPage();
  if (name === 'flood') return '<!doctype html><body>flood<script>setInterval(() => { for (let n = 0; n < 400; n += 1) parent.postMessage({ k: "y", y: n }, "*") }, 10)</script>';
  return readFileSync(`${PAGES}${name.replace(/[^\w-]/g, '')}.html`, 'utf8');
}

function withBoot(page: string): string {
  const boot = `<script>${BOOT}</script>`;
  const place = /<head[^>]*>|<html[^>]*>|<!doctype[^>]*>/gi;
  const ends = [...page.matchAll(place)].map((found) => found.index + found[0].length);
  const at = Math.max(0, ...ends);
  return page.slice(0, at) + boot + page.slice(at);
}

function answer(request: IncomingMessage, response: ServerResponse): boolean {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const [, area, kind, page] = url.pathname.split('/');
  if (area !== 'fake-preview') return false;
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.setHeader('cache-control', 'no-store');
  if (kind === 'stream') {
    response.setHeader('content-security-policy', STREAM_POLICY);
    response.end(`<!doctype html><html><head><script nonce="fake">${BOOT}</script></head></html>`);
    return true;
  }
  const whole = pageSource(page ?? '');
  const upTo = Number(url.searchParams.get('upto')) || whole.length;
  response.setHeader('content-security-policy', PAGE_POLICY);
  response.end(withBoot(whole.slice(0, upTo)));
  return true;
}

/** Serves the frames of the scripted host, for development and for tests only. */
export function fakeFrames(): Plugin {
  const frames: Connect.NextHandleFunction = (request, response, next) => {
    if (!answer(request, response)) next();
  };
  return {
    name: 'facsimile-fake-frames',
    configureServer: (server) => void server.middlewares.use(frames),
    configurePreviewServer(server) {
      server.middlewares.use(frames);
      server.middlewares.use((_request, response, next) => {
        response.setHeader('content-security-policy', WINDOW_POLICY);
        next();
      });
    },
  };
}
