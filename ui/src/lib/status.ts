import type { RunStatus } from '../ipc/types';

const LIVE: ReadonlySet<RunStatus> = new Set(['queued', 'running', 'waiting']);

/** Whether work goes on; every other status is final and never changes. */
export const isLive = (status: RunStatus): boolean => LIVE.has(status);

/** Whether the page that exists is a draft that was cut short. */
export const isCutShort = (status: RunStatus): boolean =>
  !isLive(status) && status !== 'succeeded';
