import { z } from 'zod';
import { DEFAULT_PROJECT, isProjectName, PROJECT_NAME_RULE } from '../../model/project-name.ts';
import { agUiAgents, retentionDays, visibility } from './values.ts';

const projectsRule = `must name projects, each with an object of its own settings, such as {"team-a": {}}; a name has ${PROJECT_NAME_RULE}; the settings of the project "${DEFAULT_PROJECT}" are those outside`;
const projectFields = 'the keys of a project are agUiAgents, visibility and persistRetentionDays';

/** Projects beside the default one. */
export const projectKeys = {
  projects: z
    .record(
      z.string(projectsRule).refine((name) => isProjectName(name) && name !== DEFAULT_PROJECT, projectsRule),
      z.strictObject(
        {
          agUiAgents: agUiAgents.optional(),
          visibility: visibility.optional(),
          persistRetentionDays: retentionDays.optional(),
        },
        {
          error: ({ code }) =>
            (code === 'unrecognized_keys' ? 'has an unknown key; ' : 'must be an object; ') + projectFields,
        },
      ),
      projectsRule,
    )
    .default({})
    .describe(
      'Projects beside the default one, each with what is its own of agUiAgents, visibility and persistRetentionDays: {"team-a": {"persistRetentionDays": 30}}. A project has a store, a graph and readers of its own; whose key or log-in is of another sees nothing of it. Those that a key or a group names need not stand here.',
    ),
  maxProjects: z
    .int()
    .min(1)
    .max(64)
    .default(16)
    .describe('Most projects, the default one among them. An empty one takes 25 MB of memory.'),
};
