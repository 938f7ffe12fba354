import { BoundaryError } from '../base/boundary-error.ts';
import { onAbort } from '../base/shared-abort.ts';
import { MANY, ownedBy } from '../transport/connection-owners.ts';
import { networkOf } from './network-of.ts';
import { isOne, type Access, type Principal } from './principal.ts';

/**
 * Says of everybody which network they come from, and of a connection whose it is. However they are known, what they have open ends with the client
 * certificate that let their connection in.
 */
export function withConnections(access: Access): Access {
  return {
    ...access,
    identify(credentials) {
      const { address, certificate, connection } = credentials;
      if (certificate?.ended.aborted === true)
        throw new BoundaryError('UNAUTHENTICATED', String(certificate.ended.reason));
      const principal = access.identify(credentials);
      if (connection !== undefined) ownedBy(connection, ownerOf(principal.via ?? principal));
      return {
        ...principal,
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

/** The callers of a gateway share its connections. */
function ownerOf(principal: Principal): string {
  return isOne(principal) ? principal.id : MANY;
}
