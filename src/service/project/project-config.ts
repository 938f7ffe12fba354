import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BoundaryError, invalid } from '../../base/boundary-error.ts';
import type { ServiceConfig } from '../../config/schema.ts';
import { DEFAULT_PROJECT, isProjectName, PROJECT_NAME_RULE } from '../../model/project-name.ts';

/** Below the data folder, a folder for each project but the default one. */
export const PROJECTS_FOLDER = 'projects';

/**
 * The configuration as one project has it: a folder of its own, and what the setting `projects` says of it. What leaves
 * the service, or comes from elsewhere, belongs to the project that the setting names.
 */
export function projectConfig(config: ServiceConfig, name: string): ServiceConfig {
  const forward = ofProject(config.forward, name);
  const interruptWebhook = ofProject(config.interruptWebhook, name);
  const mew = ofProject(config.mew, name);
  const guards = config.guards.filter((guard) => ofProject(guard, name));
  if (name === DEFAULT_PROJECT) return { ...config, forward, interruptWebhook, mew, guards };
  const own = config.projects[name] ?? {};
  return {
    ...config,
    dataDir: join(config.dataDir, PROJECTS_FOLDER, name),
    adaptationsFile: undefined,
    agUiAgents: own.agUiAgents ?? [],
    visibility: own.visibility ?? config.visibility,
    persistRetentionDays: own.persistRetentionDays ?? config.persistRetentionDays,
    forward,
    interruptWebhook,
    mew,
    guards,
  };
}

function ofProject<T extends { readonly project?: string | undefined }>(
  setting: T | undefined,
  name: string,
): T | undefined {
  return (setting?.project ?? DEFAULT_PROJECT) === name ? setting : undefined;
}

/**
 * The same for what is done in the data folder without a service.
 * @throws BoundaryError INVALID_ARGUMENT, NOT_FOUND where the project has no folder
 */
export function projectOnDisk(config: ServiceConfig, name: string): ServiceConfig {
  if (!isProjectName(name)) throw invalid(`a project's name has ${PROJECT_NAME_RULE}`);
  const own = projectConfig(config, name);
  if (name !== DEFAULT_PROJECT && !existsSync(own.dataDir))
    throw new BoundaryError('NOT_FOUND', `there is no project of this name in ${config.dataDir}`);
  return own;
}
