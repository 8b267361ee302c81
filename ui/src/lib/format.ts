export type Language = 'en' | 'zh-CN';

type Say = (
  key: 'unit.s' | 'unit.min' | 'unit.h' | 'when.today' | 'when.yesterday',
  facts?: Record<string, string | number>,
) => string;

/** A duration as a designer reads it: tenths below ten seconds, then whole seconds, minutes, hours. */
export function timeIn(ms: number, say: Say): string {
  const tenths = Math.round(ms / 100) / 10;
  if (tenths < 10) return say('unit.s', { n: tenths.toFixed(1) });
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return say('unit.s', { n: seconds });
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return say('unit.min', { m: minutes, s: seconds % 60 });
  return say('unit.h', { h: Math.floor(minutes / 60), m: minutes % 60 });
}

/** Dollars and cents; less than a cent keeps four places so that it is never shown as nothing. */
export function moneyIn(usd: number): string {
  if (usd > 0 && usd < 0.01) return `$${Math.max(usd, 0.0001).toFixed(4)}`;
  return `$${usd.toFixed(2)}`;
}

export const numberIn = (n: number, language: Language): string =>
  new Intl.NumberFormat(language).format(n);

/** File sizes in thousands, as file managers of designers show them. */
export function bytesIn(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1000)} KB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

const DAY_MS = 86_400_000;

/** A past moment: today, yesterday, the weekday within a week, else the date. */
export function whenIn(atMs: number, nowMs: number, language: Language, say: Say): string {
  const midnight = new Date(nowMs);
  midnight.setHours(0, 0, 0, 0);
  const days = Math.floor((midnight.getTime() - atMs) / DAY_MS) + 1;
  if (days <= 0) return say('when.today');
  if (days === 1) return say('when.yesterday');
  const locale = language === 'en' ? 'en-GB' : language;
  const options: Intl.DateTimeFormatOptions =
    days < 7 ? { weekday: 'long' } : { day: 'numeric', month: 'long' };
  return new Intl.DateTimeFormat(locale, options).format(atMs);
}
