import { z } from 'zod';
import { projectName } from './project-name.ts';
import type { DeepReadonly } from './deep-readonly.ts';

/** The role that a certificate may give. */
const ROLES = ['sender', 'monitor', 'gateway', 'reader', 'analyst', 'operator', 'admin'] as const;
const pathRule = 'must be the path of a file';
const path = z.string(pathRule).min(1, pathRule).max(4096, pathRule);
const clientRule = 'must be "none", "optional" or "required"';
const rolesRule = `must be a list of roles, of ${ROLES.join(', ')}; gateway stands alone`;
const fileKeys = {
  certFile: path.optional(),
  keyFile: path.optional(),
  caFile: path.optional(),
  clientCertificates: z.enum(['none', 'optional', 'required'], clientRule).optional(),
};

const portRule =
  'must be "terminated" or {"certFile": …, "keyFile": …, "caFile": …, "clientCertificates": …}';
const portTls = z.union([z.literal('terminated'), z.strictObject(fileKeys)], portRule).optional();

const clients = z
  .record(
    z.string().min(1).max(1000),
    z.strictObject(
      {
        roles: z
          .array(z.enum(ROLES, rolesRule), rolesRule)
          .min(1, rolesRule)
          .max(ROLES.length, rolesRule)
          .refine((roles) => !roles.includes('gateway') || new Set(roles).size === 1, rolesRule),
        project: projectName.optional(),
      },
      'must be {"roles": […], "project": …} (project may be left out)',
    ),
    'must be names in certificates, each with {"roles": […]}',
  )
  .refine((names) => Object.keys(names).length <= 1000, 'has more than 1000 names')
  .optional();

export const TLS_PORTS = ['readers', 'otlpGrpc', 'otlpHttp'] as const;
/** A port by the name that it has in `tls`. */
export type TlsPort = (typeof TLS_PORTS)[number];

export const TLS_RULE =
  'must be "terminated" or {"certFile": …, "keyFile": …}; also caFile, clientCertificates, clients, and what a port has of its own in readers, otlpGrpc and otlpHttp';

/** `tls` where it is an object: what is common to all ports, and what a port has of its own. */
export const tlsObject = z.strictObject(
  { ...fileKeys, clients, readers: portTls, otlpGrpc: portTls, otlpHttp: portTls },
  {
    error: ({ code }) =>
      code === 'unrecognized_keys'
        ? 'has an unknown key; the keys are certFile, keyFile, caFile, clientCertificates, clients, readers, otlpGrpc and otlpHttp'
        : TLS_RULE,
  },
);

export const tlsSchema = z.union([z.literal('terminated'), tlsObject]);

/** How one port speaks TLS: with these files, or not itself, since something in front of it does. */
export type PortTls =
  | 'terminated'
  | Pick<Exclude<TlsSetting, 'terminated'>, 'certFile' | 'keyFile' | 'caFile' | 'clientCertificates'>;

type TlsSetting = DeepReadonly<z.output<typeof tlsSchema>>;

/** What holds for one port: what it has of its own before what is common. Undefined: plain text. */
export function tlsOfPort(tls: TlsSetting | undefined, port: TlsPort): PortTls | undefined {
  if (tls === undefined || tls === 'terminated') return tls;
  const { certFile, keyFile, caFile, clientCertificates } = tls;
  const own = tls[port];
  if (own === 'terminated') return own;
  const all = { certFile, keyFile, caFile, clientCertificates, ...own };
  return Object.values(all).every((value) => value === undefined) ? undefined : all;
}

/** What is wrong between the parts of `tls`, by where it stands in it; nothing is said twice. */
export function tlsProblems(tls: TlsSetting | undefined): ReadonlySet<string> {
  const problems = new Set<string>();
  if (tls === undefined || tls === 'terminated') return problems;
  let isAsked = false;
  for (const port of TLS_PORTS) {
    const setting = tlsOfPort(tls, port);
    if (setting === undefined || setting === 'terminated') continue;
    const { certFile, keyFile, caFile, clientCertificates = 'none' } = setting;
    if (certFile === undefined || keyFile === undefined)
      problems.add(`needs ${certFile === undefined ? 'certFile' : 'keyFile'} beside what it has`);
    if (clientCertificates !== 'none') isAsked = true;
    if (clientCertificates !== 'none' && caFile === undefined)
      problems.add('has clientCertificates, so it needs caFile: who signs certificates of clients');
    if (clientCertificates === 'none' && setting.clientCertificates === undefined && caFile !== undefined)
      problems.add('has caFile, so it needs clientCertificates: "optional" or "required"');
  }
  if (tls.clients !== undefined && !isAsked)
    problems.add('has clients, so it needs caFile and clientCertificates: "optional" or "required"');
  return problems;
}

/** With every file as `toPath` gives its path. */
export function withPaths(tls: TlsSetting, toPath: (written: string) => string): TlsSetting {
  if (tls === 'terminated') return tls;
  const all: Record<string, unknown> = { ...tls };
  for (const [key, value] of Object.entries(tls)) {
    if (key.endsWith('File')) all[key] = toPath(value as string);
    else if (TLS_PORTS.some((port) => port === key)) all[key] = withPaths(value as TlsSetting, toPath);
  }
  return all;
}
