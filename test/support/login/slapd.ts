import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'ldapts';
import { TestCertificates } from '../test-certificates.ts';
import { until } from '../until.ts';

const SLAPD = '/usr/sbin/slapd';
const SUFFIX = 'dc=example,dc=test';

/** What is in the directory: two people, three groups, and a name that means something in a filter. */
const LDIF = `dn: ${SUFFIX}
objectClass: dcObject
objectClass: organization
o: Example
dc: example

dn: ou=people,${SUFFIX}
objectClass: organizationalUnit
ou: people

dn: ou=groups,${SUFFIX}
objectClass: organizationalUnit
ou: groups

dn: uid=ada,ou=people,${SUFFIX}
objectClass: inetOrgPerson
uid: ada
cn: Ada Byron
sn: Byron
userPassword: correct horse

dn: uid=bob,ou=people,${SUFFIX}
objectClass: inetOrgPerson
uid: bob
cn: Bob Nobody
sn: Nobody
userPassword: battery staple

dn: uid=o\\2C brien(*),ou=people,${SUFFIX}
objectClass: inetOrgPerson
uid: o, brien(*)
cn: Brien
sn: Brien
userPassword: pass word

dn: cn=Analysts,ou=groups,${SUFFIX}
objectClass: groupOfNames
cn: Analysts
member: uid=ada,ou=people,${SUFFIX}
member: uid=o\\2C brien(*),ou=people,${SUFFIX}

dn: cn=operators,ou=groups,${SUFFIX}
objectClass: groupOfNames
cn: operators
member: uid=ada,ou=people,${SUFFIX}
`;

/** What the service looks people up as. */
export const LOOKS_UP = { bindDn: `cn=admin,${SUFFIX}`, password: 'directory-secret' } as const;
export const PEOPLE_BASE = `ou=people,${SUFFIX}`;
export const GROUPS_BASE = `ou=groups,${SUFFIX}`;

/** Why the tests against a real directory cannot run here; undefined when they can. */
export const SLAPD_MISSING = existsSync(SLAPD) ? undefined : 'slapd is not installed (apt-get install slapd)';

/** Debian's slapd on a free port of loopback, as this user, in a folder of its own; with TLS by a certificate made now. */
export class Slapd {
  readonly url: string;
  readonly tlsUrl: string;
  /** PEM of the authority of its certificate. */
  readonly caFile: string;
  private readonly child: ChildProcess;
  private readonly folder: string;

  private constructor(ports: readonly [number, number], child: ChildProcess, folder: string) {
    this.url = `ldap://127.0.0.1:${ports[0]}`;
    this.tlsUrl = `ldaps://127.0.0.1:${ports[1]}`;
    this.caFile = join(folder, 'ca.crt');
    this.child = child;
    this.folder = folder;
  }

  static async start(): Promise<Slapd> {
    const folder = await mkdtemp(join(tmpdir(), 'explain-slapd-'));
    await mkdir(join(folder, 'db'));
    // For this address, and no name: one is asked for that is wrong.
    const certificates = new TestCertificates(folder);
    await certificates.write(
      certificates.signed({ use: 'server', commonName: '127.0.0.1', names: ['127.0.0.1'] }),
    );
    await writeFile(join(folder, 'slapd.conf'), configuration(folder));
    await writeFile(join(folder, 'people.ldif'), LDIF);
    execFileSync('/usr/sbin/slapadd', ['-f', join(folder, 'slapd.conf'), '-l', join(folder, 'people.ldif')]);
    const ports = [await freePort(), await freePort()] as const;
    const urls = `ldap://127.0.0.1:${ports[0]}/ ldaps://127.0.0.1:${ports[1]}/`;
    const child = spawn(SLAPD, ['-d', '0', '-f', join(folder, 'slapd.conf'), '-h', urls], {
      stdio: 'ignore',
    });
    const slapd = new Slapd(ports, child, folder);
    await until('the directory answers', () => slapd.answers());
    return slapd;
  }

  /** Changes what is in the directory. */
  async change(act: (client: Client) => Promise<void>): Promise<void> {
    const client = new Client({ url: this.url });
    try {
      await client.bind(LOOKS_UP.bindDn, LOOKS_UP.password);
      await act(client);
    } finally {
      await client.unbind();
    }
  }

  async stop(): Promise<void> {
    const gone = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill('SIGKILL');
    await gone;
    await rm(this.folder, { recursive: true });
  }

  private async answers(): Promise<boolean> {
    return this.change(() => Promise.resolve()).then(
      () => true,
      () => false,
    );
  }
}

function configuration(folder: string): string {
  return `
include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
pidfile ${folder}/slapd.pid
modulepath /usr/lib/ldap
moduleload back_mdb
TLSCertificateFile ${folder}/server.crt
TLSCertificateKeyFile ${folder}/server.key
database mdb
maxsize 10485760
suffix "${SUFFIX}"
rootdn "${LOOKS_UP.bindDn}"
rootpw ${LOOKS_UP.password}
directory ${folder}/db
access to attrs=userPassword by anonymous auth by * none
access to * by * read
`;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
