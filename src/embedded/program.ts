/** What `explainability-agent` gives a program that imports it. */
export { applyUpdate } from './apply-update.ts';
export { startService, type StartOptions } from './start-service.ts';
export type * from './api.ts';
