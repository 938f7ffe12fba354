/** Loaded before a program, for each of its threads: its wall clock is `CRASH_EARLIER_MS` behind. */
const real = Date.now;
const behindMs = Number(process.env['CRASH_EARLIER_MS'] ?? 0);
Date.now = () => real() - behindMs;
