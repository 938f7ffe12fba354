import type { Principal } from '../../access/principal.ts';
import { jsonAnswer, type Route } from './route.ts';

/** @param namesFor the projects that somebody may know of */
export function projectsRoute(namesFor: (by: Principal) => readonly string[]): Route {
  return {
    method: 'GET',
    path: '/api/projects',
    needs: 'see',
    query: [],
    handle: ({ principal }) => jsonAnswer(200, { projects: namesFor(principal) }),
  };
}
