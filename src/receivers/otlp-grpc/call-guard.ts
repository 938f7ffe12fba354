import type { ServerInterceptor } from '@grpc/grpc-js';
import { grpcGuard } from '../../access/grpc-guard.ts';
import type { ActiveWork } from '../active-work.ts';
import type { OtlpServerOptions } from '../otlp-server-options.ts';
import { grpcFailure } from './grpc-failure.ts';

/** Refuses a call by its headers, before its body is read. */
export function callGuard({ access, perKey }: OtlpServerOptions, work: ActiveWork): ServerInterceptor {
  return grpcGuard({
    access,
    needs: () => 'send',
    before: () => work.check(),
    after: (caller) => perKey.admitMore(caller),
    statusOf: grpcFailure,
  });
}
