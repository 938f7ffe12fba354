/** Exit codes of the process (public contract, section 1). */
export const EXIT = { ok: 0, crash: 1, badConfiguration: 2 } as const;
