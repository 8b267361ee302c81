import type { EngineChoice, InputSummary, ProjectSummary, Sample } from '../types';
import dashboardPage from './pages/dashboard.html?raw';
import shopPage from './pages/shop-a.html?raw';
import otherShopPage from './pages/shop-b.html?raw';
import tidePage from './pages/tide.html?raw';
import dashboard from './pictures/dashboard.webp';
import journal from './pictures/journal.webp';
import pricing from './pictures/pricing.webp';
import shop from './pictures/shop.webp';
import otherShop from './pictures/shop-b.webp';
import tide from './pictures/tide.webp';

export const PAGES: Record<string, string> = {
  'shop-a': shopPage,
  'shop-b': otherShopPage,
  dashboard: dashboardPage,
  tide: tidePage,
};

/** A sample or file of the scripted host: what it looks like and which page comes of it. */
export interface ShelfPicture {
  input: InputSummary;
  page: string;
}

const picture = (id: string, name: string, width: number, height: number, bytes: number, thumbnail: string, page: string): ShelfPicture => ({
  input: { id, name, width, height, bytes, thumbnail },
  page,
});

export const PICTURES: Record<string, ShelfPicture> = {
  shop: picture('shop', 'kestrel-home.png', 1280, 1500, 412_000, shop, 'shop-a'),
  energy: picture('energy', 'energy-dashboard.png', 1280, 900, 198_000, dashboard, 'dashboard'),
  tide: picture('tide', 'tide-times.png', 390, 844, 96_000, tide, 'tide'),
  autumn: picture('autumn', 'kiln-autumn.png', 1280, 1500, 402_000, otherShop, 'shop-b'),
};

export const SAMPLES: Sample[] = [
  { id: 'shop', title: 'Pottery shop', thumbnail: shop },
  { id: 'energy', title: 'Energy dashboard', thumbnail: dashboard },
  { id: 'tide', title: 'Tide times', thumbnail: tide },
];

const DAY_MS = 86_400_000;

export const recentProjects = (nowMs: number): (ProjectSummary & { picture: string })[] => [
  { id: 'plumbline', name: 'Plumbline', updatedAtMs: nowMs - DAY_MS, thumbnail: pricing, state: 'succeeded', picture: 'energy' },
  { id: 'long-field', name: 'Long Field', updatedAtMs: nowMs - 3 * DAY_MS, thumbnail: journal, state: 'interrupted', picture: 'shop' },
  { id: 'kiln-autumn', name: 'Kiln, autumn', updatedAtMs: nowMs - 20 * DAY_MS, thumbnail: otherShop, state: 'succeeded', picture: 'autumn' },
];

/** Many projects, each with its number, the first one touched last. */
export const manyProjects = (count: number, nowMs: number): (ProjectSummary & { picture: string })[] =>
  Array.from({ length: count }, (_, n) => ({ id: `many-${n + 1}`, name: `Project ${n + 1}`, updatedAtMs: nowMs - n * 60_000, thumbnail: otherShop, state: 'succeeded', picture: 'tide' }));

export const OFFLINE: EngineChoice = { id: 'offline', label: 'Offline tracer', ready: true, local: true };
export const MODELS: EngineChoice[] = [
  { id: 'anthropic:claude-opus-5-5', label: 'claude-opus-5-5', ready: true, local: false },
  { id: 'openai:gpt-6.2-sol', label: 'gpt-6.2-sol', ready: true, local: false },
];
