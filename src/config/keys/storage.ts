import { z } from 'zod';
import { GIB, MIB, retentionDays } from './values.ts';

/** What is kept on disk and in memory, and for how long. */
export const storageKeys = {
  dataDir: z
    .string()
    .min(1)
    .max(4096)
    .default('~/.nootropic-cache')
    .describe('Folder of the stored graph. "~" is the home folder.'),
  adaptationsFile: z
    .string()
    .min(1)
    .max(4096)
    .optional()
    .describe(
      'File of the adaptations of prompts, JSON with comments, which is read again when it changes; their history is kept beside it. Absent: "adaptations.json" in "dataDir". Without the file there are none. "~" is the home folder.',
    ),
  durability: z
    .enum(['memory', 'log', 'fsync'])
    .default('log')
    .describe(
      'When a sender is told that its records were taken. "memory": at once; nothing is written to disk. "log": when they are in the store; they survive a crash of the service. "fsync": when the disk has them; they survive a power failure.',
    ),
  snapshotIntervalSeconds: z
    .number()
    .min(1)
    .max(86_400)
    .default(60)
    .describe(
      'Seconds between two writings of explain_graph.json, the graph for other programs to read. A graph of more than 5,000 nodes is written sixty times less often, and at a clean stop.',
    ),
  persistRetentionDays: retentionDays
    .default(7)
    .describe('Days that persisted graphs are kept on disk before deletion.'),
  maxStoreBytes: z
    .int()
    .min(MIB)
    .max(Number.MAX_SAFE_INTEGER)
    .default(10 * GIB)
    .describe(
      'Most bytes of the stored graph on disk: the oldest tasks are deleted first. Projects have them together: each has what the others leave, and its equal part at the least.',
    ),
  maxMemoryBytes: z
    .int()
    .min(MIB)
    .max(Number.MAX_SAFE_INTEGER)
    .default(320 * MIB)
    .describe(
      'Most bytes, by estimate, that the graph holds in memory: the oldest tasks leave first. Projects have them together: each has what the others leave, and its equal part at the least.',
    ),
  maxCachedTextBytes: z
    .int()
    .min(0)
    .max(Number.MAX_SAFE_INTEGER)
    .default(64 * MIB)
    .describe('Most bytes, by estimate, of full texts in memory: the least recently used leave first.'),
};
