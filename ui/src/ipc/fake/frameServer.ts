import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import type { Connect, Plugin } from 'vite';
import { tagsOf, versionOf } from './elements';
import { longPage } from './longPage';

/** The window's own policy, with this server in the place of the preview scheme. */
const WINDOW_POLICY =
  "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; frame-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'";
const STREAM_POLICY =
  "default-src 'none'; script-src 'nonce-fake'; style-src 'unsafe-inline'; img-src data: blob:; font-src data:; connect-src 'none'; form-action 'none'; base-uri 'none'; frame-src 'none'; object-src 'none'";
const PAGE_POLICY =
  "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:; font-src data:; connect-src 'none'; form-action 'none'; base-uri 'none'; frame-src 'none'; object-src 'none'";

/** The program's own half of a frame, as the shipped window has it. */
const BOOT = readFileSync(fileURLToPath(new URL('../../../../src-tauri/crates/studio/src/preview/boot.js', import.meta.url)), 'utf8');

const PAGES = fileURLToPath(new URL('./pages/', import.meta.url));

function pageSource(name: string): string {
  if (name === 'long') return longPage();
  if (name === 'flood') return '<!doctype html><body>flood<script>setInterval(() => { for (let n = 0; n < 400; n += 1) parent.postMessage({ k: "y", y: n }, "*") }, 10)</script>';
  return readFileSync(`${PAGES}${name.replace(/[^\w-]/g, '')}.html`, 'utf8');
}

/** Pages that were changed by hand, by their versions. */
const edited = new Map<string, string>();

function withAddresses(page: string): string {
  let [read, out] = [0, ''];
  for (const { at, end } of tagsOf(page)) {
    const inner = page[end - 2] === '/' ? end - 2 : end - 1;
    out += `${page.slice(read, inner)} data-fx="${at}"`;
    read = inner;
  }
  return out + page.slice(read);
}

function withBoot(source: string): string {
  const boot = `<script data-fx-boot="page" data-fx-version="${versionOf(source)}">${BOOT}</script>`;
  const page = withAddresses(source);
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
    response.end(`<!doctype html><html><head><script nonce="fake" data-fx-boot="stream">${BOOT}</script></head></html>`);
    return true;
  }
  if (kind === 'keep' && page !== undefined) {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      edited.set(page, Buffer.concat(pieces).toString('utf8'));
      response.end('kept');
    });
    return true;
  }
  const whole = (kind === 'edited' && page !== undefined ? edited.get(page) : undefined) ?? pageSource(page ?? '');
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
