import {
  ServerInterceptingCall,
  ServerListenerBuilder,
  ResponderBuilder,
  type Metadata,
  type ServerInterceptor,
} from '@grpc/grpc-js';
import type { ActiveWork } from '../active-work.ts';
import { checkBearer } from '../auth.ts';
import type { OtlpServerOptions } from '../otlp-server-options.ts';
import { grpcFailure } from './grpc-failure.ts';

/** Refuses a call by its headers, before its body is read. */
export function callGuard({ auth }: OtlpServerOptions, work: ActiveWork): ServerInterceptor {
  return (_method, call) => {
    const listener = new ServerListenerBuilder()
      .withOnReceiveMetadata((metadata, next) => {
        try {
          work.check();
          checkBearer(auth, headerOf(metadata));
        } catch (error) {
          call.sendStatus(grpcFailure(error));
          return;
        }
        next(metadata);
      })
      .build();
    const responder = new ResponderBuilder().withStart((next) => next(listener)).build();
    return new ServerInterceptingCall(call, responder);
  };
}

function headerOf(metadata: Metadata): string | undefined {
  const value = metadata.get('authorization')[0];
  return typeof value === 'string' ? value : undefined;
}
