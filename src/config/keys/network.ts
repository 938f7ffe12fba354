import { z } from 'zod';
import { tlsSchema } from '../tls.ts';
import { HEADER_SAFE, list } from './values.ts';

const HOSTNAME_OR_ADDRESS = /^(?:[A-Za-z0-9_.-]+|[0-9A-Fa-f:.]+(?:%[A-Za-z0-9]+)?)$/;
const port = z.int().min(0).max(65_535);
const token = z.string().min(8).max(4096).regex(HEADER_SAFE);

/** Where the service listens, and who is let in. */
export const networkKeys = {
  host: z
    .string()
    .min(1)
    .max(255)
    .regex(HOSTNAME_OR_ADDRESS)
    .default('127.0.0.1')
    .describe(
      'Address that every port listens on. A host that is not loopback needs "auth" and "tls" to be set.',
    ),
  port: port.default(9000).describe('Port for readers: gRPC, WebSocket, HTTP, metrics. 0 takes a free one.'),
  otlpGrpcPort: port.default(4317).describe('Port of the OTLP/gRPC receiver. 0 takes a free one.'),
  otlpHttpPort: port.default(4318).describe('Port of the OTLP/HTTP receiver. 0 takes a free one.'),
  auth: z
    .union([
      z.enum(['none', 'keys']),
      z.strictObject({ token, adminToken: token.optional(), gatewayToken: token.optional() }),
    ])
    .optional()
    .describe(
      'Who is let in: "keys" asks for a key (explainability-agent keys create), and so does every service that ever had one; {"token": "…", "adminToken": "…"} are tokens beside them: the first sends and operates, the second administers, and a "gatewayToken" is that of a gateway over several cells; "none" accepts a host that is not loopback without either.',
    ),
  tls: tlsSchema
    .optional()
    .describe(
      'TLS on every port: {"certFile": "…", "keyFile": "…"}, read again when the files change. Also "caFile" with "clientCertificates" ("optional" or "required": who asks shows a certificate that "caFile" signed; "none"), "clients" ({"name in a certificate": {"roles": ["sender"]}}), and "readers", "otlpGrpc", "otlpHttp" with what one port has of its own. "terminated": something in front of the ports speaks TLS; a host that is not loopback needs one or the other.',
    ),
  allowedHosts: list(255)
    .default([])
    .describe('Further names that may stand in the Host header of a request.'),
  allowedOrigins: list(2048)
    .default([])
    .describe('Web origins whose pages may use the service, such as "https://dashboard.example".'),
};
