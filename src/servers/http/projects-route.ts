import type { Principal } from '../../access/principal.ts';
import { jsonRoute, type Route } from './route.ts';

/** @param namesFor the projects that somebody may know of */
export function projectsRoute(namesFor: (by: Principal) => readonly string[]): Route {
  return jsonRoute('GET /api/projects', 'see', ({ principal }) => ({ projects: namesFor(principal) }));
}
