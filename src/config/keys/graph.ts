import { z } from 'zod';
import { MINUTES_PER_YEAR } from './values.ts';

const typePattern = z.string().min(1).max(1000).optional();

/** How the graph is made and folded, and how long it is in memory. */
export const graphKeys = {
  maxCoTDepth: z
    .int()
    .min(1)
    .max(1000)
    .default(5)
    .describe('Maximum depth of chain-of-thought to display before summarizing.'),
  pruneLatencyThresholdMs: z
    .number()
    .min(0)
    .max(3_600_000)
    .default(50)
    .describe('A step slower than this (milliseconds) is never folded away as routine.'),
  minCostUsdDetail: z
    .number()
    .min(0)
    .max(1_000_000)
    .default(0.0001)
    .describe('A step that costs at least this much (US dollars) is never folded away as routine.'),
  nodeTTLMinutes: z
    .number()
    .gt(0)
    .max(MINUTES_PER_YEAR)
    .default(120)
    .describe('Minutes after its last change that a node leaves memory.'),
  maxNodesPerTask: z
    .int()
    .min(3)
    .max(1_000_000)
    .default(500)
    .describe('Most nodes of one task that a reader sees while collapsing is on.'),
  abandonAfterMinutes: z
    .number()
    .gt(0)
    .max(MINUTES_PER_YEAR)
    .default(15)
    .describe('Minutes after its last change that a running node counts as abandoned.'),

  typeRules: z
    .array(
      z.strictObject({
        type: z.enum([
          'STATIC_ANALYSIS',
          'TEST_RUN',
          'MODEL_SWITCH',
          'REFLEXION_ACTION',
          'USER_QUERY',
          'TOOL_CALL',
          'OTHER',
        ]),
        toolName: typePattern,
        command: typePattern,
        spanName: typePattern,
        agent: typePattern,
      }),
    )
    .max(64)
    .default([])
    .describe(
      'Rules of your own for the type of a step, tried in order before the built-in ones: {"type": "TEST_RUN", "command": "^make check"}. One of toolName, command, spanName, agent each. A call of a model keeps its type.',
    ),
  inferEdges: z
    .boolean()
    .default(false)
    .describe(
      'Also draw edges that nothing but time speaks for, from a step to the next one below the same parent ("evidence": "inferred").',
    ),
};
