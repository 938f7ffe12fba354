import type { Principal } from '../access/principal.ts';
import type { AnnotationState } from '../model/annotation.ts';

/** Takes what people say of steps. */
export interface AnnotationsApi {
  /**
   * @param given unchecked: `{kind, text?, verdict?, decision?, option?, replaces?, id?}`
   * @throws BoundaryError INVALID_ARGUMENT, PERMISSION_DENIED, NOT_FOUND, RESOURCE_EXHAUSTED, FAILED_PRECONDITION when it
   * is too late: replaced or decided before
   */
  annotate(
    nodeId: string,
    given: { readonly [field: string]: unknown },
    by: Principal,
  ): Promise<AnnotationState>;
}
