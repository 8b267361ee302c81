import { expect, it } from 'vitest';
import { entryPath, isPage, pagePaths } from './pages';

it('knows a page by its name, however it is spelled', () => {
  const names = ['index.html', 'Index.HTML', 'old/about.htm', 'site.css', 'html', 'a.html.txt'];
  expect(names.map(isPage)).toEqual([true, true, true, false, false, false]);
});

it('opens with index.html, else with the page that comes first by its name', () => {
  expect([
    pagePaths(['page-10.html', 'site.css', 'index.html', 'page-2.HTM']),
    pagePaths(['about.html', 'site.css', 'Index.HTML']),
    entryPath(['site.css']),
    pagePaths(['app.js']),
  ]).toEqual([['index.html', 'page-2.HTM', 'page-10.html'], ['Index.HTML', 'about.html'], undefined, []]);
});
