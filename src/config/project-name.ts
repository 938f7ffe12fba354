import { z } from 'zod';
import { isProjectName, PROJECT_NAME_RULE } from '../model/project-name.ts';

const projectRule = `must be the name of a project: ${PROJECT_NAME_RULE}`;

/** Wherever a setting says whose something is. */
export const projectName = z.string(projectRule).refine(isProjectName, projectRule);
