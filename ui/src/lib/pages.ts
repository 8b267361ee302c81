/** The page a project opens with where it has one of this name. */
export const ENTRY = 'index.html';

/** Whether a file is a page, however its name is spelled. */
export const isPage = (path: string): boolean => /\.html?$/i.test(path);

/** The pages among paths: the one they open with, then the others by name and number. */
export function pagePaths(paths: readonly string[]): string[] {
  const entry = entryPath(paths);
  const others = paths.filter((path) => path !== entry && isPage(path));
  others.sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  return entry === undefined ? others : [entry, ...others];
}

/** The page a set of files opens with. */
export const entryPath = (paths: readonly string[]): string | undefined =>
  paths.includes(ENTRY) ? ENTRY : paths.filter(isPage).sort()[0];
