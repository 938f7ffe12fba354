import type { Principal } from '../access/principal.ts';
import type { AnnotationsApi } from './annotations-api.ts';
import type { ControlApi } from './control-api.ts';
import type { ReaderApi } from '../subscriptions/reader-api.ts';

/** What somebody has to do with: one project, at one level of detail. It is kept, one for all who see the same. */
export interface Space {
  readonly reader: ReaderApi;
  /** Told of who had how many nodes pruned. */
  readonly pruned?: ((by: Principal, nodes: number) => void) | undefined;
  /** What agents wait on. */
  readonly control?: ControlApi | undefined;
  /** Takes what people say of steps. */
  readonly annotations?: AnnotationsApi | undefined;
}

export type SpaceOf<S extends Space = Space> = (principal: Principal) => S;
