import { ClientError } from './client-error.ts';

/** Where a service is, as its transports need it. */
export type Address =
  | {
      readonly kind: 'http';
      /** `ws://host:port/explain`. */
      readonly socket: string;
      /** `http://host:port`, with the prefix of a proxy if there is one, without a slash at the end. */
      readonly http: string;
    }
  | {
      readonly kind: 'grpc';
      /** `host:port`. */
      readonly target: string;
      readonly tls: boolean;
    };

const SOCKET_PATH = '/explain';
const READERS_PORT = '9000';
const WHAT_TO_GIVE =
  'give the readers\' port, such as "http://127.0.0.1:9000" or "ws://127.0.0.1:9000/explain"';

/** @throws ClientError INVALID_ARGUMENT. The text of the URL is not repeated: it may hold a token. */
export function parseAddress(url: string): Address {
  if (typeof url !== 'string' || !URL.canParse(url)) throw invalid(`url is not a URL: ${WHAT_TO_GIVE}`);
  const { protocol, host, hostname, port, pathname, username, password, search } = new URL(url);
  if (username !== '' || password !== '' || search !== '') {
    throw invalid('url must not hold a user, a password or a query: give the token as `token`');
  }
  switch (protocol) {
    case 'http:':
    case 'ws:':
    case 'https:':
    case 'wss:': {
      const s = protocol === 'https:' || protocol === 'wss:' ? 's' : '';
      const prefix = pathname.replace(/\/+$/, '').replace(/\/explain$/, '');
      return {
        kind: 'http',
        socket: `ws${s}://${host}${prefix}${SOCKET_PATH}`,
        http: `http${s}://${host}${prefix}`,
      };
    }
    case 'grpc:':
    case 'grpcs:':
      if (hostname === '') throw invalid('url has no host: give one, such as "grpc://127.0.0.1:9000"');
      return {
        kind: 'grpc',
        target: `${hostname}:${port === '' ? READERS_PORT : port}`,
        tls: protocol === 'grpcs:',
      };
    default:
      throw invalid(`url has an unknown scheme: ${WHAT_TO_GIVE}`);
  }
}

function invalid(message: string): ClientError {
  return new ClientError('INVALID_ARGUMENT', message);
}
