/**
 * When a task is over: nothing of it runs, and nothing more came for a while. Whoever asks (what is sent on to another
 * receiver, a run that is told live) asks by the same times.
 */

/** What belongs together comes in several pieces; senders send them within a second or two of each other. */
export const TASK_QUIET_MS = 2_000;
/**
 * Steps are often sent when they end, hence before those around them. For one that was named and has not come, so long is
 * waited after the last news: exporters send every few seconds, and a call of a model seldom takes a minute.
 */
export const TASK_PARENT_WAIT_MS = 60_000;
