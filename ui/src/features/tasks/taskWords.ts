import type { TaskView } from '../../ipc/types';
import { say, sayLines, sayPictures, type WordKey } from '../../state/words.svelte';

const DOING: Record<string, WordKey> = {
  generate_images: 'task.generating',
  edit_image: 'task.editing',
  remove_background: 'task.cuttingOut',
};

/** What a task makes: words of the conversation, or how many pictures. */
export function titleWords({ title }: Pick<TaskView, 'title'>): string {
  const [, many] = /^(\d+) pictures$/.exec(title) ?? [];
  return many === undefined ? sayLines(title) : sayPictures(Number(many));
}

/** Where a task stands, in words. */
export function stateWords(task: Pick<TaskView, 'state' | 'kind'>): string {
  switch (task.state) {
    case 'queued':
      return say('task.queued');
    case 'running':
      return say(DOING[task.kind] ?? 'task.running');
    case 'succeeded':
      return say('task.done');
    case 'failed':
      return say('task.failed');
    case 'cancelled':
      return say('task.cancelled');
  }
}
