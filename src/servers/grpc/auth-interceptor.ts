import { Metadata, ServerInterceptingCall, ServerListenerBuilder, ResponderBuilder } from '@grpc/grpc-js';
import type { ServerInterceptor } from '@grpc/grpc-js';
import { BoundaryError } from '../../base/boundary-error.ts';
import type { Authenticator } from '../access/authenticator.ts';
import { STATUS } from './grpc-status.ts';

/** Open like `/healthz`: probes can't send metadata. */
const OPEN_PREFIX = '/grpc.health.v1.Health/';

/** Every call but health checks needs the token; also those of services that others wrote, such as reflection. */
export function authInterceptor(authenticator: Authenticator): ServerInterceptor {
  return (method, call) => {
    if (method.path.startsWith(OPEN_PREFIX)) return new ServerInterceptingCall(call);
    const listener = new ServerListenerBuilder().withOnReceiveMetadata((metadata, next) => {
      try {
        authenticator.authenticate({ authorization: metadata.get('authorization')[0]?.toString() });
      } catch (thrown) {
        const { code, message } = BoundaryError.from(thrown);
        call.sendStatus({ code: STATUS[code], details: message, metadata: new Metadata() });
        return;
      }
      next(metadata);
    });
    const responder = new ResponderBuilder().withStart((next) => next(listener.build()));
    return new ServerInterceptingCall(call, responder.build());
  };
}
