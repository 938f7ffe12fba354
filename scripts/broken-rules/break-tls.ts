import type { Break } from './breaks.ts';

const E2E = ['test/e2e/tls.test.ts'];
const ENTRANCE = ['src/transport/tls/tls-entrance.test.ts'];
const HARDENING = ['test/e2e/hardening.test.ts'];

/** TLS, and what is hardened. */
export const TLS: readonly Break[] = [
  {
    rule: 'AC60 one port for all over TLS',
    what: 'who offers both gets HTTP/2',
    file: 'src/transport/tls/tls-entrance.ts',
    from: "ALPNProtocols: ['http/1.1', 'h2']",
    to: "ALPNProtocols: ['h2', 'http/1.1']",
    tests: E2E,
  },
  {
    rule: 'AC61 TLS 1.2 is spoken',
    what: 'TLS 1.2 is refused',
    file: 'src/transport/tls/tls-files.ts',
    from: "MIN_TLS_VERSION = 'TLSv1.2'",
    to: "MIN_TLS_VERSION = 'TLSv1.3'",
    tests: E2E,
  },
  {
    rule: 'AC63 handshakes end',
    what: 'a handshake may take for ever',
    file: 'src/transport/tls/tls-entrance.ts',
    from: 'lastLook = setImmediate(() => socket.destroy());',
    to: 'lastLook = setImmediate(() => undefined);',
    tests: ENTRANCE,
  },
  {
    rule: 'AC64 client certificates',
    what: 'one that nobody signed is taken',
    file: 'src/transport/tls/tls-entrance.ts',
    from: 'if (!socket.authorized)',
    to: 'if (socket.authorized === undefined)',
    tests: E2E,
  },
  {
    rule: 'AC65 files that change',
    what: 'a broken pair takes the place of a good one',
    file: 'src/transport/tls/tls-files.ts',
    from: 'if (!chain[0]?.checkPrivateKey(privateKeyIn(keyFile, key)))',
    to: 'if (chain.length === 0 && !chain[0]?.checkPrivateKey(privateKeyIn(keyFile, key)))',
    tests: E2E,
  },
  {
    rule: 'AC66 a wide host needs TLS',
    what: 'one port may be left out',
    file: 'src/config/cross-check.ts',
    from: 'TLS_PORTS.some((port) => tlsOfPort(tls, port) === undefined)',
    to: 'TLS_PORTS.every((port) => tlsOfPort(tls, port) === undefined)',
    tests: ['src/config/tls.test.ts'],
  },
  {
    rule: 'AC68 names in certificates',
    what: 'names of every object are names of clients',
    file: 'src/access/client-names.ts',
    from: 'Object.hasOwn(clients, one)',
    to: 'one in clients',
    tests: E2E,
  },
  {
    rule: 'AC71 what a certificate let in ends with it',
    what: 'an authority that is taken out vouches for those that are in',
    file: 'src/transport/tls/certificates.ts',
    from: 'for (const looker of this.lookers) looker(this.current);',
    to: 'void this.lookers;',
    tests: E2E,
  },
  {
    rule: 'AC71 what a certificate let in ends with it',
    what: 'a certificate above it may expire',
    file: 'src/transport/tls/admitted-clients.ts',
    from: 'while (next && !chain.includes(next)) {',
    to: 'while (next && chain.length < 1) {',
    tests: ['src/transport/tls/admitted-clients.test.ts'],
  },
  {
    rule: 'AC71 what a certificate let in ends with it',
    what: 'sockets are cut off, and not told why',
    file: 'src/access/with-connections.ts',
    from: 'const stop = onAbort(principal.admittedBy, onEnd);',
    to: 'const stop = onAbort(undefined, onEnd);',
    tests: E2E,
  },
  {
    rule: 'AC80 security headers',
    what: 'OTLP over HTTP has none',
    file: 'src/receivers/otlp-http/otlp-http-receiver.ts',
    from: 'of Object.entries(SECURITY_HEADERS))',
    to: 'of Object.entries(SECURITY_HEADERS).slice(7))',
    tests: HARDENING,
  },
  {
    rule: 'AC82 modes of files',
    what: 'other things in the folder lose their modes, too',
    file: 'src/storage/own-modes.ts',
    from: 'await mender.entries(dataDir, own, 0);',
    to: 'await mender.entries(dataDir, entries, 0);',
    tests: HARDENING,
  },
  {
    rule: 'AC69 said in words',
    what: 'a demo that does not trust its own certificate waits for ever',
    file: 'src/cli/demo.ts',
    from: 'await client.findTasks({ limit: 1 });',
    to: '',
    tests: ['test/cli/tls.test.ts'],
  },
];
