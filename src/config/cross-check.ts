import { isIP } from 'node:net';
import { isGuessable } from '../base/guessable.ts';
import { projectsNamed } from './projects.ts';
import type { ConfigKey, ServiceConfig } from './schema.ts';
import { TLS_PORTS, tlsOfPort, tlsProblems } from './tls.ts';

/** What is wrong between keys: `key` is to blame, `involves` names it and the others that the rule looked at. */
export interface CrossProblem {
  readonly key: ConfigKey;
  readonly involves: readonly ConfigKey[];
  readonly message: string;
}

/** Rules that hold between keys, on values that are each right by themselves. */
export function crossCheck(config: ServiceConfig): CrossProblem[] {
  return [
    ...checkPorts(config),
    ...checkAccess(config),
    ...checkTls(config),
    ...checkPrivacy(config),
    ...checkKafka(config),
    ...checkProjects(config),
    ...checkPeople(config),
    ...checkRole(config),
    ...checkCells(config),
  ];
}

/** What is allowed, but worth saying at start. */
export function crossWarnings(config: ServiceConfig): string[] {
  const warnings: string[] = [];
  if (!isLoopback(config.host) && config.auth === 'none')
    warnings.push(
      'host is not loopback and auth is "none": whoever reaches the ports can read every thought',
    );
  if (!config.redactPII) warnings.push('redactPII is false: private data is stored and shown as it came');
  if (!config.redactPII && config.forward !== undefined)
    warnings.push('redactPII is false and forward is set: private data is sent on as it came');
  const hasVault = VAULT_KEYS.some((key) => config[key] !== undefined);
  const { auth = 'none' } = config;
  if (hasVault && (typeof auth === 'object' ? auth.adminToken === undefined : auth === 'none'))
    warnings.push(
      'a vault key is set but auth.adminToken is not: originals are kept, and nobody can reveal them who has no key of an administrator',
    );
  if (config.mew?.token !== undefined && isPlainElsewhere(config.mew.url))
    warnings.push('mew.url is not "wss://": its token goes over the network as it is');
  if (config.kafka?.sasl?.mechanism === 'PLAIN' && config.kafka.tls === false)
    warnings.push('kafka.sasl is PLAIN and kafka.tls is false: the password goes over the network as it is');
  if (config.kafka && config.durability === 'memory')
    warnings.push(
      'kafka is set and durability is "memory": what was read is gone with the service, and is not read again',
    );
  const cellsElsewhere = config.gateway?.cells?.every(({ address }) => isLoopback(hostOf(address))) !== true;
  if (config.gateway?.token !== undefined && !config.gateway.tls && cellsElsewhere)
    warnings.push('gateway.tls is not set: gateway.token goes over the network as it is');
  if (config.maxInflightBytes < config.maxRequestBytes)
    warnings.push(
      'maxInflightBytes is below maxRequestBytes: a request of the largest allowed size is never taken',
    );
  return warnings;
}

/** @param url of a WebSocket */
function isPlainElsewhere(url: string): boolean {
  if (!url.startsWith('ws://') || !URL.canParse(url)) return false;
  return !isLoopback(new URL(url).hostname.replace(/^\[(.*)\]$/, '$1'));
}

const PORT_KEYS = ['port', 'otlpGrpcPort', 'otlpHttpPort'] as const;

function checkPorts(config: ServiceConfig): CrossProblem[] {
  const problems: CrossProblem[] = [];
  for (const [index, key] of PORT_KEYS.entries()) {
    const same = PORT_KEYS.slice(0, index).find((other) => config[other] === config[key]);
    if (same !== undefined && config[key] !== 0)
      problems.push({
        key,
        involves: [key, same],
        message: `must differ from ${same}: both are ${config[key]}`,
      });
  }
  return problems;
}

function checkAccess({ host, auth, people }: ServiceConfig): CrossProblem[] {
  if (!isLoopback(host) && auth === undefined && !people)
    return [
      {
        key: 'host',
        involves: ['host', 'auth'],
        message:
          'is not loopback, so "auth" must be set: "keys", {"token": …}, or "none" to let everybody in who reaches the ports',
      },
    ];
  return typeof auth === 'object' ? tokenProblems(auth) : [];
}

function tokenProblems({
  token,
  adminToken,
  gatewayToken,
}: Exclude<NonNullable<ServiceConfig['auth']>, string>): CrossProblem[] {
  const wrong = (message: string): CrossProblem[] => [{ key: 'auth', involves: ['auth'], message }];
  if (adminToken === token) return wrong('adminToken must differ from token');
  if (gatewayToken === undefined) return [];
  if (gatewayToken === token || gatewayToken === adminToken)
    return wrong('gatewayToken must differ from token and adminToken');
  if (isGuessable(gatewayToken))
    return wrong(
      'gatewayToken could be guessed, and who has it asks for everybody: take 32 random characters',
    );
  return [];
}

function checkTls({ host, tls }: ServiceConfig): CrossProblem[] {
  const problems: CrossProblem[] = Array.from(tlsProblems(tls), (message) => ({
    key: 'tls',
    involves: ['tls'],
    message,
  }));
  if (!isLoopback(host) && TLS_PORTS.some((port) => tlsOfPort(tls, port) === undefined))
    problems.push({
      key: 'host',
      involves: ['host', 'tls'],
      message:
        'is not loopback, so "tls" must be set for every port: {"certFile": …, "keyFile": …} ("explainability-agent certs" makes files for trying), or "terminated" where something in front of the ports speaks TLS',
    });
  return problems;
}

function checkPrivacy(config: ServiceConfig): CrossProblem[] {
  const problems: CrossProblem[] = [];
  if (!config.redactPII && !config.allowUnredacted)
    problems.push({
      key: 'redactPII',
      involves: ['redactPII', 'allowUnredacted'],
      message:
        'must be true, or "allowUnredacted" must be true as well: private data would be stored and shown as it came',
    });
  return [...problems, ...checkVault(config), ...checkSummary(config)];
}

function checkVault(config: ServiceConfig): CrossProblem[] {
  const problems: CrossProblem[] = [];
  const key = VAULT_KEYS.find((name) => config[name] !== undefined);
  if (key === undefined) return problems;
  const clash = (other: ConfigKey, message: string): void =>
    void problems.push({ key, involves: [key, other], message });
  if (config.vaultKey !== undefined && config.vaultKeyFile !== undefined)
    clash('vaultKeyFile', 'must not be set together with vaultKeyFile: leave one of them');
  if (config.zeroDataRetention)
    clash(
      'zeroDataRetention',
      'must not be set while zeroDataRetention is true: a vault keeps what was hidden',
    );
  if (!config.redactPII)
    clash('redactPII', 'must not be set while redactPII is false: nothing is hidden then');
  if (config.durability === 'memory')
    clash('durability', 'must not be set while durability is "memory": the vault is a file');
  return problems;
}

/** What leaves the service is redacted, and goes where somebody said. */
function checkSummary({ summaryUrl, summaryModel, redactPII }: ServiceConfig): CrossProblem[] {
  if ((summaryUrl === undefined) !== (summaryModel === undefined)) {
    const [key, other] =
      summaryUrl === undefined
        ? (['summaryModel', 'summaryUrl'] as const)
        : (['summaryUrl', 'summaryModel'] as const);
    return [{ key, involves: [key, other], message: `needs "${other}" beside it` }];
  }
  if (summaryUrl === undefined || redactPII) return [];
  const message = 'must not be set while redactPII is false: it would be sent what nobody redacted';
  return [{ key: 'summaryUrl', involves: ['summaryUrl', 'redactPII'], message }];
}

function checkKafka({ kafka, kafkaPassword }: ServiceConfig): CrossProblem[] {
  const problems: CrossProblem[] = [];
  const involves = ['kafka', 'kafkaPassword'] as const;
  if (kafka?.sasl && kafkaPassword === undefined)
    problems.push({ key: 'kafka', involves, message: 'has sasl, so "kafkaPassword" must be set' });
  if (kafkaPassword !== undefined && !kafka?.sasl)
    problems.push({ key: 'kafkaPassword', involves, message: 'needs "kafka" with sasl beside it' });
  if (!kafka) return problems;
  const { cotTopic, eventTopic } = kafka;
  if (cotTopic === undefined && eventTopic === undefined)
    problems.push({ key: 'kafka', involves, message: 'needs cotTopic, eventTopic or both' });
  else if (cotTopic === eventTopic)
    problems.push({ key: 'kafka', involves, message: 'must have a cotTopic that is not its eventTopic' });
  return problems;
}

function checkProjects(config: ServiceConfig): CrossProblem[] {
  const { size } = projectsNamed(config);
  if (size < config.maxProjects) return [];
  const message = `must be above ${size}: so many projects beside the default one are named by settings`;
  return [{ key: 'maxProjects', involves: ['maxProjects', 'projects'], message }];
}

function checkRole({ role, gateway }: ServiceConfig): CrossProblem[] {
  const involves = ['role', 'gateway'] as const;
  if (role === 'gateway' && !gateway)
    return [
      {
        key: 'role',
        involves,
        message: 'is "gateway", so "gateway" must say where the cells are: {"cells": ["cell-1:9000"]}',
      },
    ];
  if (role === 'all' && gateway)
    return [{ key: 'gateway', involves, message: 'needs "role": "gateway" beside it, or must be left out' }];
  return [];
}

/** What each cell must have of what all have together, in bytes. */
const LEAST_OF_CELL = 1024 * 1024;

function checkCells({ cells, role, maxMemoryBytes, maxStoreBytes }: ServiceConfig): CrossProblem[] {
  if (cells === undefined) return [];
  const problems: CrossProblem[] = [];
  if (role === 'gateway')
    problems.push({
      key: 'cells',
      involves: ['cells', 'role'],
      message:
        'starts cells and a gateway of its own, so "role" must not be "gateway": leave one of them out',
    });
  for (const [key, bytes] of Object.entries({ maxMemoryBytes, maxStoreBytes }) as [ConfigKey, number][])
    if (bytes / cells < LEAST_OF_CELL)
      problems.push({
        key,
        involves: [key, 'cells'],
        message: `must be at least ${cells * LEAST_OF_CELL}: ${cells} cells have it together`,
      });
  return problems;
}

function checkPeople({ auth, people, oidcClientSecret, ldapPassword }: ServiceConfig): CrossProblem[] {
  const problems: CrossProblem[] = [];
  const wrong = (key: 'people' | 'oidcClientSecret' | 'ldapPassword', message: string): void =>
    void problems.push({ key, involves: ['people', 'oidcClientSecret', 'ldapPassword'], message });
  if (people && !people.oidc && !people.ldap) wrong('people', 'needs oidc, ldap or both');
  if (people && auth === 'none')
    problems.push({
      key: 'people',
      involves: ['people', 'auth'],
      message: 'lets people log in, so "auth" must not be "none"',
    });
  if (oidcClientSecret !== undefined && !people?.oidc)
    wrong('oidcClientSecret', 'needs "people" with oidc beside it');
  if (ldapPassword !== undefined && people?.ldap?.bindDn === undefined)
    wrong('ldapPassword', 'needs "people" with ldap and bindDn beside it');
  if (people?.ldap) problems.push(...checkLdap(people.ldap, ldapPassword));
  return problems;
}

function checkLdap(
  { url, startTls, bindDn, groupBase, roles }: NonNullable<NonNullable<ServiceConfig['people']>['ldap']>,
  password: string | undefined,
): CrossProblem[] {
  const problems: CrossProblem[] = [];
  const wrong = (message: string): void =>
    void problems.push({ key: 'people', involves: ['people', 'ldapPassword'], message: `ldap ${message}` });
  const isPlain = url.startsWith('ldap:');
  const host = URL.canParse(url) ? new URL(url).hostname.replace(/^\[(.*)\]$/, '$1') : '';
  if (isPlain && !startTls && !isLoopback(host))
    wrong('would send passwords as they are: use "ldaps://" or set startTls');
  if (!isPlain && startTls) wrong('has TLS from the beginning with "ldaps://": leave startTls out');
  if (bindDn !== undefined && password === undefined) wrong('has bindDn, so "ldapPassword" must be set');
  if (groupBase === undefined && Object.keys(roles).some((group) => !group.includes('=')))
    wrong('without groupBase must name groups by their whole DN, as memberOf does');
  return problems;
}

/** @param address `host:port`, IPv6 in brackets */
function hostOf(address: string): string {
  return address.slice(0, address.lastIndexOf(':')).replace(/^\[(.*)\]$/, '$1');
}

const VAULT_KEYS = ['vaultKey', 'vaultKeyFile'] as const;

/** Whether only this machine reaches the host: 127.0.0.0/8, ::1, localhost. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}
