import assert from 'node:assert/strict';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { Attribute, Change } from 'ldapts';
import { systemClock } from '../../base/clock.ts';
import {
  GROUPS_BASE,
  LOOKS_UP,
  PEOPLE_BASE,
  Slapd,
  SLAPD_MISSING,
} from '../../../test/support/login/slapd.ts';
import { LdapLogin } from './ldap.ts';
import type { LoginRefusal } from './person.ts';
import type { LdapSettings } from './settings.ts';

const SETTINGS: Omit<LdapSettings, 'url'> = {
  startTls: false,
  ...LOOKS_UP,
  searchBase: PEOPLE_BASE,
  userFilter: '(uid={name})',
  nameAttribute: 'cn',
  groupBase: GROUPS_BASE,
  groupFilter: '(|(member={dn})(uniqueMember={dn}))',
  roles: {
    analysts: { roles: ['analyst'] },
    [`CN=Operators, ${GROUPS_BASE}`]: { roles: ['operator'] },
  },
};

/** Of a directory that answers nothing. */
const ANSWER_MS = 300;

function refusedFor(reason: LoginRefusal): object {
  return { name: 'LoginRefused', reason };
}

describe('a real directory', { skip: SLAPD_MISSING ?? false }, () => {
  let slapd: Slapd;
  let login: LdapLogin;
  const loginWith = (changes: Partial<LdapSettings>): Promise<LdapLogin> =>
    LdapLogin.load({ ...SETTINGS, url: slapd.url, ...changes }, systemClock);
  before(async () => {
    slapd = await Slapd.start();
    login = await loginWith({});
  });
  after(() => slapd.stop());

  test('[AC55] who knows the password comes in with the roles of all groups', async () => {
    const { person } = await login.logIn('ada', 'correct horse');
    assert.deepEqual(person, {
      id: `ldap:uid=ada,${PEOPLE_BASE}`,
      name: 'Ada Byron',
      roles: ['analyst', 'operator'],
      project: 'default',
    });
  });

  test('[AC55] a wrong password, an unknown name and an empty password are refused alike', async () => {
    for (const [name, password] of [
      ['ada', 'battery staple'],
      ['nobody', 'correct horse'],
      ['ada', ''],
      ['', 'correct horse'],
      ['   ', 'correct horse'],
      ['a'.repeat(300), 'correct horse'],
      ['ada', 'x'.repeat(5000)],
    ] as const)
      await assert.rejects(login.logIn(name, password), refusedFor('credentials'), name);
  });

  test('[AC55] who is in none of the groups is told so, once the password was right', async () => {
    await assert.rejects(login.logIn('bob', 'battery staple'), refusedFor('role'));
    await assert.rejects(login.logIn('bob', 'correct horse'), refusedFor('credentials'));
  });

  test('[AC55] what means something in a filter or a DN is a part of the name', async () => {
    for (const name of [
      '*',
      'a*',
      'ada)(uid=*',
      '*)(uid=*))(|(uid=*',
      'ada\0',
      '\\61da',
      'uid=ada',
      '|',
      'ada)(|(cn=*)',
    ])
      await assert.rejects(login.logIn(name, 'correct horse'), refusedFor('credentials'), name);
    const { person } = await login.logIn('o, brien(*)', 'pass word');
    assert.deepEqual([person.name, person.roles], ['Brien', ['analyst']]);
  });

  test('[AC55] a name that fits two people is nobody', async () => {
    const wide = await loginWith({ userFilter: '(|(uid={name})(objectClass=inetOrgPerson))' });
    await assert.rejects(wide.logIn('ada', 'correct horse'), refusedFor('credentials'));
  });

  test('[AC55] STARTTLS and ldaps ask for a certificate that is right', async () => {
    for (const way of [{ startTls: true }, { url: slapd.tlsUrl }]) {
      const { person } = await (
        await loginWith({ ...way, caFile: slapd.caFile })
      ).logIn('ada', 'correct horse');
      assert.equal(person.name, 'Ada Byron');
      await assert.rejects((await loginWith(way)).logIn('ada', 'correct horse'), refusedFor('unreachable'));
    }
    const otherName = await loginWith({
      startTls: true,
      caFile: slapd.caFile,
      url: slapd.url.replace('127.0.0.1', 'localhost'),
    });
    await assert.rejects(otherName.logIn('ada', 'correct horse'), refusedFor('unreachable'));
  });

  test('[AC56] a group that is taken away is gone when the directory is asked again, and so is the person', async () => {
    const dn = `cn=operators,${GROUPS_BASE}`;
    const member = new Attribute({ type: 'member', values: [`uid=ada,${PEOPLE_BASE}`] });
    const { renew } = await login.logIn('ada', 'correct horse');
    assert.deepEqual((await renew?.())?.roles, ['analyst', 'operator']);
    await slapd.change(async (client) => {
      // A group has at least one member.
      const other = new Attribute({ type: 'member', values: [`uid=bob,${PEOPLE_BASE}`] });
      await client.modify(dn, [
        new Change({ operation: 'add', modification: other }),
        new Change({ operation: 'delete', modification: member }),
      ]);
    });
    assert.deepEqual((await renew?.())?.roles, ['analyst']);
    await slapd.change((client) => client.del(`cn=Analysts,${GROUPS_BASE}`));
    assert.equal(await renew?.(), undefined);
  });
});

describe('a directory that does not do as it should', () => {
  const served = async (answer: (socket: Socket) => void): Promise<{ url: string; close: () => void }> => {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
      answer(socket);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const close = (): void => {
      for (const socket of sockets) socket.destroy();
      server.close();
    };
    return { url: `ldap://127.0.0.1:${port}`, close };
  };

  for (const [what, answer] of [
    ['closes at once', (socket: Socket) => void socket.destroy()],
    ['speaks something else', (socket: Socket) => void socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['never answers', () => undefined],
    ['never ends an answer', (socket: Socket) => flood(socket)],
  ] as const) {
    test(`[AC55] one that ${what} is unreachable, soon`, async () => {
      const { url, close } = await served(answer);
      try {
        const login = await LdapLogin.load({ ...SETTINGS, url }, systemClock, ANSWER_MS);
        await assert.rejects(login.logIn('ada', 'correct horse'), refusedFor('unreachable'));
      } finally {
        close();
      }
    });
  }
});

/** The beginning of a message of 2 GB, and more of it as long as anybody reads. */
function flood(socket: Socket): void {
  socket.write(Buffer.from([0x30, 0x84, 0x7f, 0xff, 0xff, 0xff]));
  const more = (): void => {
    while (!socket.destroyed && socket.write(Buffer.alloc(64 * 1024)));
  };
  socket.on('drain', more);
  more();
}
