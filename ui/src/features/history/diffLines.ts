export type DiffKind = 'hunk' | 'added' | 'removed' | 'same';

export interface DiffLine {
  kind: DiffKind;
  text: string;
}

/** The lines of a unified diff, without its two lines of names. */
export function diffLines(diff: string): DiffLine[] {
  const lines = diff.replace(/\n$/, '').split('\n');
  const first = lines.findIndex((line) => line.startsWith('@@'));
  return lines.slice(Math.max(0, first)).map((line) => {
    if (line.startsWith('@@')) return { kind: 'hunk', text: line };
    if (line.startsWith('+')) return { kind: 'added', text: line.slice(1) };
    if (line.startsWith('-')) return { kind: 'removed', text: line.slice(1) };
    return { kind: 'same', text: line.slice(1) };
  });
}
