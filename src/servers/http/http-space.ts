import type { Space } from '../space.ts';
import type { Route } from './route.ts';

/** A space with all that is answered from it over HTTP. Every space has the same paths. */
export interface HttpSpace extends Space {
  readonly routes: readonly Route[];
}
