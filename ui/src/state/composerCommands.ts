/** What can be written in the place of a message. */
export type ComposerCommand = 'clear' | 'memory';

/** The command that a text is; none where it is a message. */
export function commandOf(text: string): ComposerCommand | undefined {
  const written = text.trim().toLowerCase();
  if (written === '/clear') return 'clear';
  return written === '/memory' ? 'memory' : undefined;
}
