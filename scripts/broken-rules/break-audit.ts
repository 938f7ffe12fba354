import type { Break } from './breaks.ts';

export const AUDIT: readonly Break[] = [
  {
    rule: 'AC102 bounded',
    what: 'every refusal at a way in is written',
    file: 'src/service/access-record.ts',
    from: 'if (++window.count > most) {',
    to: 'if (++window.count > Infinity) {',
  },
  {
    rule: 'AC102 bounded',
    what: 'every refused log-in is said in the log of the service',
    file: 'src/transport/seldom.ts',
    from: 'if (now - last.at < SAY_EVERY_MS) return;',
    tests: ['test/e2e/audit.test.ts'],
  },
  {
    rule: 'AC102 bounded',
    what: 'how many were not written is said when somebody else comes, if ever',
    file: 'src/service/access-record.ts',
    from: 'void this.endWindow(action, ended);',
  },
  {
    rule: 'AC101 on record',
    what: 'what failed over HTTP is on no record',
    file: 'src/servers/http/http-api.ts',
    from: "if (route.method !== 'GET' && (wasLetIn",
    to: "if (route.method === 'GET' && (wasLetIn",
    tests: ['test/e2e/audit.test.ts'],
  },
  {
    rule: 'AC101 on record',
    what: 'what failed over gRPC is on no record',
    file: 'src/access/grpc-guard.ts',
    from: 'if (status.code !== Status.OK) failed(status.code);',
    to: 'void failed;',
    tests: ['test/e2e/audit.test.ts'],
  },
  {
    rule: 'AC101 on record',
    what: 'a forged log-out is on no record',
    file: 'src/servers/http/login/login-routes.ts',
    from: 'access.refused({ way, error, credentials: httpCredentials(raw), principal });',
    to: 'void [way, access, principal];',
    tests: ['test/e2e/audit.test.ts'],
  },
  {
    rule: 'AC101 on record',
    what: 'who is refused at the gRPC port is on no record',
    file: 'src/access/grpc-guard.ts',
    from: 'access.refused({ way: `gRPC that needs ${need}`, error, credentials, principal });',
    tests: ['test/e2e/audit.test.ts'],
  },
  {
    rule: 'AC100 values',
    what: 'the record is read by one value of several',
    file: 'src/redaction/audit-log.ts',
    from: 'wanted.every(([name, value]) => record[name] === value)',
    to: 'wanted.length === 0 || wanted.some(([name, value]) => record[name] === value)',
    tests: ['test/e2e/audit.test.ts'],
  },
];
