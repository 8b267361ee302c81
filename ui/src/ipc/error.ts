/** What a rejected host call carries: branch on `code`, show `message`. */
export interface HostError {
  code: string;
  message: string;
}

/** Reads a rejection of unknown shape as a host error. */
export function hostError(cause: unknown): HostError {
  if (cause !== null && typeof cause === 'object') {
    const { code, message } = cause as Record<string, unknown>;
    if (typeof code === 'string' && typeof message === 'string') return { code, message };
    if (typeof message === 'string') return { code: 'unknown', message };
  }
  return { code: 'unknown', message: String(cause) };
}
