import { connect as connectInBrowser } from '../../src/client/browser.ts';
import type { Client, ConnectOptions } from '../../src/client/client.ts';
import { connect } from '../../src/client/node.ts';

/** One way to a service. */
export interface Way {
  readonly name: string;
  /** @param url `http://host:port` */
  readonly connect: (url: string, options?: Omit<ConnectOptions, 'url'>) => Client;
}

export const WAYS: readonly Way[] = [
  { name: "a browser's WebSocket", connect: (url, options) => connectInBrowser({ ...options, url }) },
  {
    name: 'ws',
    connect: (url, options) => connect({ ...options, url: `${url.replace('http', 'ws')}/explain` }),
  },
  { name: 'gRPC', connect: (url, options) => connect({ ...options, url: url.replace('http', 'grpc') }) },
];
