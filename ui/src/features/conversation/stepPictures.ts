import type { StepRow } from '../../state/activity';

/** A picture a step made. */
export interface StepPicture {
  asset: string;
  label: string;
  /** In pixels, where the step says so. */
  size?: { width: number; height: number };
}

type Fields = Record<string, unknown>;
const isObject = (value: unknown): value is Fields => value !== null && typeof value === 'object';
const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

function listIn(row: StepRow, name: 'artifacts' | 'unresolved'): Fields[] {
  if (row.kind !== 'tool' || !isObject(row.output)) return [];
  const list = row.output[name];
  return Array.isArray(list) ? list.filter(isObject) : [];
}

/** The pictures among a step's artefacts. */
export function picturesOf(row: StepRow): StepPicture[] {
  return listIn(row, 'artifacts').flatMap(({ kind, asset, label, width, height }) => {
    if (kind !== 'image' || typeof asset !== 'string') return [];
    const size = typeof width === 'number' && typeof height === 'number' ? { width, height } : undefined;
    return [{ asset, label: textOf(label), size }];
  });
}

/** What a step was to bring and did not, by name. */
export const unresolvedOf = (row: StepRow): string[] => listIn(row, 'unresolved').map(({ label }) => textOf(label));
