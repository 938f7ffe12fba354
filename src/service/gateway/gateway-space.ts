import { BoundaryError } from '../../base/boundary-error.ts';
import { auditRoute, type AuditPages } from '../../servers/http/audit-route.ts';
import { splitRoute } from '../../servers/http/cells-routes.ts';
import type { SplitReport } from '../../model/told-cells.ts';
import { readerRoutes } from '../../servers/http/reader-routes.ts';
import type { Route } from '../../servers/http/route.ts';
import type { ReaderApi } from '../../subscriptions/reader-api.ts';
import type { OperatorRecord } from '../operator-record.ts';
import type { ServiceSpace } from '../project/project-space.ts';

export interface GatewayWays {
  readonly record: OperatorRecord;
  readonly audit: AuditPages;
  readonly split: () => Promise<SplitReport>;
  /** What senders send to. */
  readonly sending: readonly Route[];
}

/** A project over all cells, as those with one level of detail have to do with it. @param reader answers them */
export function gatewaySpace(
  reader: ReaderApi,
  { record, audit, split, sending }: GatewayWays,
): ServiceSpace {
  return {
    reader,
    pruned: record.pruned,
    consumer: {
      consume: () => Promise.reject(new BoundaryError('INTERNAL', 'a gateway passes on what is sent')),
    },
    routes: [...readerRoutes(reader, record.pruned), auditRoute(audit), splitRoute(split), ...sending],
  };
}
