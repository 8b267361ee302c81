import type { TaskView } from '../ipc/types';
import { say, type WordKey } from './words.svelte';

const STAGES: Record<string, WordKey> = {
  Waiting: 'task.stage.waiting',
  Sending: 'task.stage.sending',
  'Being made': 'task.stage.made',
  Downloading: 'task.stage.downloading',
  Placing: 'task.stage.placing',
};

/** The name of a stage; one that is not known here has its own. */
export function stageWords(stage: string): string {
  const known = STAGES[stage];
  return known === undefined ? stage : say(known);
}

/** How much is done, from 0 to 1: whole pieces, and how far the one in work is on its way. */
export function shareOf({ done, total, stage, stages }: Pick<TaskView, 'done' | 'total' | 'stage' | 'stages'>): number {
  if (total === 0) return 0;
  const onItsWay = done < total && stages.length > 0 ? Math.max(0, stages.indexOf(stage)) / stages.length : 0;
  return (done + onItsWay) / total;
}
