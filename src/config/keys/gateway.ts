import { z } from 'zod';
import { cellsSchema } from '../cells-schema.ts';
import { unknownKeys, type FoundIssue } from '../unknown-keys.ts';
import { HEADER_SAFE } from './values.ts';

const gatewayFields =
  'the keys of gateway are cells, dns, file (one of the three), routeBy, otlpPort, token, speaksForSenders and tls';
const dnsFields = 'the keys of dns are name, type, port, everySeconds and server';
const tlsFields = 'the keys of tls are caFile, certFile and keyFile, each the path of a file';
const nameRule = 'must be a name in the DNS, such as "cells.example" or "_readers._tcp.cells.example"';
const typeRule = 'must be "A", "AAAA" or "SRV"';
const portRule = 'must be a whole number from 1 to 65535';
const secondsRule = 'must be a number from 0.1 to 3600';
const serverRule = 'must be the IP address of a server with its port, such as "127.0.0.1:53"';
const routeByRule =
  'must be "traceID", or the name of an attribute of 1 to 256 visible characters, such as "session.id"';
const pathRule = 'must be the path of a file';
const tokenRule = 'must be a token of 8 to 4096 visible ASCII characters';

function fieldsRule(fields: string) {
  return {
    error: (issue: FoundIssue): string => unknownKeys(issue, fields) ?? `must be an object; ${fields}`,
  };
}

const port = z.int(portRule).min(1, portRule).max(65_535, portRule);
const path = z.string(pathRule).min(1, pathRule).max(4096, pathRule).optional();

const dns = z
  .strictObject(
    {
      name: z
        .string(nameRule)
        .regex(/^(?=.{1,253}$)[A-Za-z0-9_-]{1,63}(?:\.[A-Za-z0-9_-]{1,63})*\.?$/, nameRule),
      type: z.enum(['A', 'AAAA', 'SRV'], typeRule).default('A'),
      port: port.optional(),
      everySeconds: z.number(secondsRule).min(0.1, secondsRule).max(3600, secondsRule).default(10),
      server: z
        .string(serverRule)
        .regex(/^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9A-Fa-f:.]{2,45}\]):\d{1,5}$/, serverRule)
        .optional(),
    },
    fieldsRule(dnsFields),
  )
  .refine(({ type, port }) => type !== 'SRV' || port === undefined, {
    path: ['port'],
    error: 'must be left out with "type": "SRV": its records have ports of their own',
  });

const tls = z
  .strictObject({ caFile: path, certFile: path, keyFile: path }, fieldsRule(tlsFields))
  .refine(({ certFile, keyFile }) => (certFile === undefined) === (keyFile === undefined), {
    error: 'needs certFile and keyFile beside each other, or neither',
  });

const gateway = z
  .strictObject(
    {
      cells: cellsSchema.optional(),
      dns: dns.optional(),
      file: path,
      routeBy: z
        .string(routeByRule)
        .regex(/^[\x21-\x7e]{1,256}$/, routeByRule)
        .default('traceID'),
      otlpPort: port.default(4317),
      token: z
        .string(tokenRule)
        .min(8, tokenRule)
        .max(4096, tokenRule)
        .regex(HEADER_SAFE, tokenRule)
        .optional(),
      speaksForSenders: z.boolean('must be true or false').optional(),
      tls: tls.optional(),
    },
    fieldsRule(gatewayFields),
  )
  .superRefine(({ cells, dns, file }, problems) => {
    const given = [cells, dns, file].filter((source) => source !== undefined).length;
    if (given !== 1)
      problems.addIssue({
        code: 'custom',
        message: `must have exactly one of cells, dns and file: where the cells are; it has ${given === 0 ? 'none' : given}`,
      });
  });

/** A process for each core of a large machine. */
const MAX_OWN_CELLS = 64;

/** One service over many. */
export const gatewayKeys = {
  cells: z
    .int()
    .min(1)
    .max(MAX_OWN_CELLS)
    .optional()
    .describe(
      'Starts so many services ("cells") and one gateway over them, each a process of its own, so that all cores of the machine are used. Each cell has a folder in "dataDir"; what the bounds of memory and disk say they have together, in equal parts. Absent: one service in one process.',
    ),
  role: z
    .enum(['all', 'gateway'])
    .default('all')
    .describe(
      '"all": an ordinary service. "gateway": no store and no graph of its own; it shows what the services ("cells") that "gateway" names have, and sends on to them what it is sent.',
    ),
  gateway: gateway
    .optional()
    .describe(
      'Where the cells of "role": "gateway" are, by one of: "cells" (["cell-1:9000", {"name": "cell-2", "address": "10.0.0.2:9000", "endpoint": "10.0.0.2:4317"}], the address being that of the port for readers, the endpoint what the Collector\'s load_balancing exporter has; with "drain": true it gets nothing new), "dns" ({"name": "cells.example", "type": "A", "AAAA" or "SRV", "port": 9000, "everySeconds": 10}) or "file" (a path of a JSON list like "cells", read again when it changes). Also "routeBy" ("traceID", or the attribute by which what is sent is shared out), "otlpPort" (of endpoints that are not given: 4317), "token" (the gateway\'s key at the cells), "speaksForSenders" (true: what is sent goes on with that key, for its sender, over loopback or with a client certificate; else with the sender\'s own key, which the cells know as well) and "tls" ({"caFile": …, "certFile": …, "keyFile": …}; without it the cells are asked in plain text).',
    ),
};
