import { BoundaryError } from '../base/boundary-error.ts';
import { onAbort } from '../base/shared-abort.ts';
import { networkOf } from './network-of.ts';
import type { Access } from './principal.ts';

/**
 * Says of everybody which network they come from. However they are known, what they have open ends with the client
 * certificate that let their connection in.
 */
export function withConnections(access: Access): Access {
  return {
    ...access,
    identify(credentials) {
      const { address, certificate } = credentials;
      if (certificate?.ended.aborted === true)
        throw new BoundaryError('UNAUTHENTICATED', String(certificate.ended.reason));
      return {
        ...access.identify(credentials),
        ...(address !== undefined && { from: networkOf(address) }),
        ...(certificate && { admittedBy: certificate.ended }),
      };
    },
    watch(principal, onEnd) {
      const unwatch = access.watch(principal, onEnd);
      const stop = onAbort(principal.admittedBy, onEnd);
      return () => {
        stop();
        unwatch();
      };
    },
  };
}
