import { randomUUID } from 'node:crypto';
import { createReadme } from './story.js';
import { startTelemetry } from './telemetry.js';

/** Milliseconds of a beat: with the default the story takes about a quarter of a minute. */
const pace = Number(process.env['CODER_CRITIC_PACE_MS'] ?? 400);
const taskId = process.env['CODER_CRITIC_TASK_ID'] ?? `create-readme-${randomUUID().slice(0, 4)}`;

const sdk = await startTelemetry();
await createReadme({ taskId, pace });
await sdk.shutdown();
console.log(`told as task ${taskId}`);
