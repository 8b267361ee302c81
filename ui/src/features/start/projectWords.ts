import type { ProjectSummary } from '../../ipc/types';
import { say, sayWhen } from '../../state/words.svelte';

const STATES = {
  interrupted: 'status.interrupted',
  failed: 'status.failed',
  cancelled: 'status.stopped',
  running: 'option.running',
  queued: 'option.running',
  waiting: 'option.running',
  no_output: 'status.noPage',
  stopped_at_limit: 'status.limit',
  budget_exceeded: 'status.cap',
  succeeded: undefined,
} as const;

/** When a project was touched last, and how it ended where that is worth a word. */
export function projectCaption(project: ProjectSummary, nowMs: number): string {
  const state = STATES[project.state];
  const when = sayWhen(project.updatedAtMs, nowMs);
  return state ? `${say(state)}${say('facts.join')}${when}` : when;
}
