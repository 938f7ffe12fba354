import { z } from 'zod';
import { projectName } from '../project-name.ts';
import { unknownKeys, type FoundIssue } from '../unknown-keys.ts';

/** Each is counted by itself, and a label of a metric. */
const MAX_GUARDS = 32;
const MAX_PATTERNS = 100;
const WEEK_SECONDS = 604_800;

const guardFields =
  'the keys of a guard are name, project, agents, tasks, per, limits, action, dryRun and coolDownSeconds';
const limitFields =
  'the limits are runningSeconds, tokens, costUsd, depth, handovers, sameStep, stepsPerMinute and nothingNewSeconds';
const nameRule =
  'must be a name of 1 to 64 letters, digits, ".", "_" and "-", such as "loops": the graph, the audit log and the metrics have it';
const patternsRule = `must be a list of 1 to ${MAX_PATTERNS} names of 1 to 256 characters, in which "*" stands for anything, such as ["Coder*"]; leave it out for all`;

const patterns = z
  .array(z.string(patternsRule).min(1, patternsRule).max(256, patternsRule), patternsRule)
  .min(1, patternsRule)
  .max(MAX_PATTERNS, patternsRule)
  .optional();

function limit(most: number, least: number, what: string) {
  const rule = `must be a number from ${least} to ${most}: ${what}`;
  return z.number(rule).min(least, rule).max(most, rule).optional();
}

function wholeLimit(most: number, least: number, what: string) {
  const rule = `must be a whole number from ${least} to ${most}: ${what}`;
  return z.int(rule).min(least, rule).max(most, rule).optional();
}

function fieldsRule(fields: string) {
  return {
    error: (issue: FoundIssue): string => unknownKeys(issue, fields) ?? `must be an object; ${fields}`,
  };
}

const limits = z
  .strictObject(
    {
      runningSeconds: limit(WEEK_SECONDS, 1, 'seconds from the first step on'),
      tokens: wholeLimit(1e12, 1, 'tokens, read and written'),
      costUsd: limit(1e9, 1e-9, 'US dollars'),
      depth: wholeLimit(1000, 2, 'steps below one another'),
      handovers: wholeLimit(1000, 1, 'agents that call one another'),
      sameStep: wholeLimit(1e6, 2, 'steps that do the same'),
      stepsPerMinute: wholeLimit(1e6, 1, 'steps that began within a minute'),
      nothingNewSeconds: limit(WEEK_SECONDS, 1, 'seconds in which nothing came that was not there before'),
    },
    fieldsRule(limitFields),
  )
  .refine((given) => Object.values(given).some((bound) => bound !== undefined), {
    error: `must have one limit or more; ${limitFields}`,
  });

const guard = z.strictObject(
  {
    name: z.string(nameRule).regex(/^[A-Za-z0-9._-]{1,64}$/, nameRule),
    project: projectName.optional(),
    agents: patterns,
    tasks: patterns,
    per: z.enum(['task', 'agent'], 'must be "task" or "agent": of what the figures are').default('task'),
    limits,
    action: z.enum(['warn', 'interrupt'], 'must be "warn" or "interrupt"').default('warn'),
    dryRun: z.boolean('must be true or false').default(false),
    coolDownSeconds: z
      .number(`must be a number from 1 to ${WEEK_SECONDS}`)
      .min(1, `must be a number from 1 to ${WEEK_SECONDS}`)
      .max(WEEK_SECONDS, `must be a number from 1 to ${WEEK_SECONDS}`)
      .default(300),
  },
  fieldsRule(guardFields),
);

/** Rules that warn or interrupt by themselves. */
export const guardKeys = {
  guards: z
    .array(guard, `must be a list of guards; ${guardFields}`)
    .max(MAX_GUARDS, `must be a list of at most ${MAX_GUARDS} guards: each may name several agents and tasks`)
    .superRefine((guards, problems) => {
      const names = new Set<string>();
      for (const [place, { name }] of guards.entries()) {
        if (names.has(name))
          problems.addIssue({
            code: 'custom',
            path: [place, 'name'],
            message: 'is the name of another guard: each needs its own',
          });
        names.add(name);
      }
    })
    .default([])
    .describe(
      'Rules that warn, or have an agent asked to stop, by themselves: {"name": "loops", "agents": ["*"], "tasks": ["*"], "per": "agent", "limits": {"sameStep": 10}, "action": "interrupt", "dryRun": false, "coolDownSeconds": 300}. Limits, each reached when its figure is as large: runningSeconds, tokens, costUsd, depth (steps below one another), handovers (agents that call one another), sameStep, stepsPerMinute, nothingNewSeconds. The figures are those of a task, or with "per": "agent" of each agent in it. All but name and limits may be left out. The tasks are those of the default project, or of the one that "project" names.',
    ),
};
