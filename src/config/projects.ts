import { z } from 'zod';
import { DEFAULT_PROJECT, isProjectName, PROJECT_NAME_RULE } from '../model/project-name.ts';
import type { ServiceConfig } from './schema.ts';

const projectRule = `must be the name of a project: ${PROJECT_NAME_RULE}`;

/** Wherever a setting says whose something is. */
export const projectName = z.string(projectRule).refine(isProjectName, projectRule);

/** The projects other than the default one that settings name. */
export function projectsNamed({ projects, kafka, forward, tls, people }: ServiceConfig): ReadonlySet<string> {
  const clients = typeof tls === 'object' ? tls.clients : undefined;
  const grants = [clients, people?.oidc?.roles, people?.ldap?.roles].flatMap((of) => Object.values(of ?? {}));
  const named = [kafka, forward, ...grants].map((setting) => setting?.project);
  const names = new Set(Object.keys(projects));
  for (const name of named) if (name !== undefined) names.add(name);
  names.delete(DEFAULT_PROJECT);
  return names;
}
