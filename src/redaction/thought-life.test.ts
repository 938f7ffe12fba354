import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { makeDoor, makeEntry } from '../../test/support/make-door.ts';
import { ManualClock } from '../base/clock.ts';
import type { CotText } from '../model/facts.ts';
import { shownThought, thoughtOf, withTail } from '../model/thought-text.ts';
import type { CotRecord } from '../model/records.ts';
import { epochMs } from '../model/time.ts';
import type { RedactionDoor } from './door.ts';
import { EntryOrder } from './entry-order.ts';
import { createRedactor } from './redactor.ts';
import { hitsOf } from './rule.ts';
import { BUILTIN_RULES } from './rules/builtin.ts';

const redactor = createRedactor({ key: new Uint8Array(32).fill(5), maxCodeSnippetChars: 2000 });

/** A door with its disk: what it passed on is there after a restart, in the order in which it was kept. */
class Life {
  readonly clock = new ManualClock();
  disk: CotText[] = [];
  /** Every text that a reader could have seen. */
  readonly outputs: string[] = [];
  private runs = 0;
  private door = this.open();
  private time = 1000;

  async send(entries: readonly Partial<CotRecord>[], digest?: string): Promise<void> {
    const records = entries.map((entry) => makeEntry({ time: epochMs(this.time), ...entry }));
    await this.door.consume({ receivedAt: 0, source: 'http', records, digest });
    this.outputs.push(this.shown);
  }

  async silence(ms: number): Promise<void> {
    this.clock.advance(ms);
    await this.door.settled();
    this.outputs.push(this.shown);
    this.time += ms;
  }

  /** @param clean a stop, else a kill */
  async restart(clean: boolean): Promise<void> {
    if (clean) await this.door.drain();
    this.disk = [...new Map(this.disk.map((state) => [state.part, state])).values()];
    const door = this.open();
    for (const state of this.disk) door.resume(state);
    door.resumed();
    this.door = door;
    this.outputs.push(this.shown);
  }

  /** Thoughts of others that take all the room for those that may go on. */
  crowdOut(): void {
    const text = 'x'.repeat(2 ** 20);
    for (let i = 0; i < 65; i++) {
      const times = { first: epochMs(1), last: epochMs(1) };
      this.door.resume({
        kind: 'cot',
        requestId: `other ${i}`,
        part: 1,
        revision: 1,
        final: false,
        text,
        ...times,
      });
    }
  }

  /** What readers see now. */
  get shown(): string {
    return this.text(shownThought);
  }

  get whole(): string {
    return this.text(withTail);
  }

  private text(seen: (state: CotText) => CotText): string {
    const newest = new Map(this.disk.map((state) => [state.part, seen(state)]));
    return thoughtOf([...newest.values()].toSorted((a, b) => a.part - b.part));
  }

  private open(): RedactionDoor {
    const run = ++this.runs;
    return makeDoor(redactor, this.clock, (records) => {
      // What was killed does nothing more.
      if (run === this.runs) this.disk.push(...(records as unknown as CotText[]));
    });
  }
}

const KEY = 'Zq3Lw8Xv1Rb6Tn0Kc5Hy9Md2Pf7Gs4J';
const PEM = `-----BEGIN RSA PRIVATE KEY-----\n${`${KEY}${KEY}\n`.repeat(12)}-----END RSA PRIVATE KEY-----`;
const ENCRYPTED_PEM = PEM.replace(
  'KEY-----\n',
  'KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,7F3A91C04BE2D865\n\n',
);

/** As programs write it: what is between the ends is no key material by itself. */
const QUOTED_PEM = PEM.split('\n')
  .map((line) => `"${line}"`)
  .join(' +\n  ');

const happening = fc.constantFrom('nothing', 'pause', 'silence', 'stop', 'kill', 'again');
const hits = BUILTIN_RULES.flatMap(hitsOf);
const words = fc.lorem({ maxCount: 60 });
/** Long enough that the raw window is trimmed and the thought has several parts. */
const filler = fc.nat({ max: 60 }).map((n) => 'It reads the table again, then writes. '.repeat(n * 3));

/** Pieces of a text, and what happens after each. */
function lived(text: fc.Arbitrary<string>) {
  return fc
    .tuple(
      text,
      fc.array(fc.nat(), { maxLength: 9 }),
      fc.array(happening, { minLength: 10, maxLength: 10 }),
      fc.boolean(),
    )
    .map(([whole, cuts, events, sequenced]) => {
      const places = [...new Set(cuts.map((cut) => cut % (whole.length + 1)))].toSorted((a, b) => a - b);
      const pieces = [0, ...places].map((from, i) => whole.slice(from, places[i]));
      return { whole, pieces, events, sequenced };
    });
}

type Lived = ReturnType<typeof lived> extends fc.Arbitrary<infer T> ? T : never;

async function live({ pieces, events, sequenced }: Lived, isFinal = true): Promise<Life> {
  const life = new Life();
  for (const [i, piece] of pieces.entries()) {
    const final = isFinal && i === pieces.length - 1;
    const entry = { tokens: [piece], final, ...(sequenced && { sequence: i }) };
    await life.send([entry], `request ${i}`);
    const event = events[i % events.length];
    if (event === 'pause') await life.silence(3000);
    else if (event === 'silence') await life.silence(70_000);
    else if (event === 'stop' || event === 'kill') await life.restart(event === 'stop');
    else if (event === 'again') await life.send([entry], `request ${i}`);
  }
  return life;
}

test('[RD6] restarts, kills, silences and repetitions between any pieces change nothing of the whole text', async () => {
  const text = fc
    .array(fc.oneof(fc.constantFrom(...hits.map((hit) => hit.text)), words, filler), {
      minLength: 1,
      maxLength: 5,
    })
    .map((parts) => parts.join(' '));
  await fc.assert(
    fc.asyncProperty(lived(text), async (story) => {
      const life = await live(story);
      assert.equal(life.whole, redactor.redactText(story.whole));
    }),
    { numRuns: 300 },
  );
});

/** What is hidden, or read otherwise, as far as one place of a text is from another. */
const spans = fc.oneof(
  fc.constantFrom(...hits.map((hit) => hit.text)),
  fc.constantFrom(
    `${PEM} was the key.`,
    `${PEM.replaceAll('\n', '\\n')} in one line`,
    ENCRYPTED_PEM,
    QUOTED_PEM,
    `data:${Buffer.from('password=hunter2-Zq3Lw8Xv1Rb6 and more of it').toString('base64')} was a code`,
    'passphrase: "correct horse battery staple", it says',
    `\n\`\`\`\nconst token = "${KEY}";\n${'run(table);\n'.repeat(250)}\`\`\`\n`,
    `{"user": "jane.doe@example.com", "password": "hunter2-Zq3Lw8Xv"}`,
    'My name is Jane Smith and I live at 221B Baker Street, London NW1 6XE now',
  ),
  words,
  filler,
);

test('[RD6] what follows a secret is shown, whatever came in between, before the thought is final', async () => {
  const text = fc
    .array(spans, { minLength: 1, maxLength: 5 })
    .map((parts) => `${parts.join(' ')}\nSo be it.\n`);
  await fc.assert(
    fc.asyncProperty(lived(text), async (story) => {
      const life = await live(story, false);
      await life.silence(2500);
      assert.equal(life.whole, redactor.redactText(story.whole));
    }),
    { numRuns: 300 },
  );
});

test('[RD6] what follows a value whose rule still waits is shown in a silence', async () => {
  for (const whole of [
    // Begins like JSON, and can be none.
    `[[client shared] start: [{"password": "hunter2-Zq3Lw8Xv"}\nSo be it.\n`,
    // The rule of two words behind "password" knows its value, and waits for what follows it.
    'login bob password Zx81kk9q https://x.example/?q=7f3a91c04be2d8657f3a91c0&page=2\nSo be it.\n',
  ]) {
    const life = new Life();
    await life.send([{ tokens: [whole] }]);
    await life.silence(2500);
    assert.equal(life.whole, redactor.redactText(whole));
  }
});

test('[RD6] all that is between the beginning and the end of a private key is hidden, however it is written', async () => {
  for (const key of [PEM, ENCRYPTED_PEM, QUOTED_PEM]) {
    const life = new Life();
    const whole = `It reads\n${key} and goes on.\n`;
    for (let i = 0; i < whole.length; i += 50) await life.send([{ tokens: [whole.slice(i, i + 50)] }]);
    assert.equal(life.whole, redactor.redactText(whole));
    assert.match(life.whole, /^It reads\n"?\[SECRET:\w+\]"? and goes on\.\n$/);
  }
});

test('[RD6] far below the head of a table or list its values are hidden, before and after a restart', async () => {
  const words = Array.from({ length: 30 }, (_, i) => `driftw${i}d`);
  const note = 'It is long. '.repeat(25);
  for (const whole of [
    `user,note,password\n${words.map((word) => `bob,${note},${word}\n`).join('')}`,
    `| user | note | password |\n|---|---|---|\n${words.map((word) => `| bob | ${note} | ${word} |\n`).join('')}`,
    `INSERT INTO users (note, password) VALUES ${words.map((word) => `('${note}', '${word}')`).join(', ')};\n`,
  ]) {
    const life = new Life();
    for (let i = 0; i < whole.length; i += 700) {
      await life.send([{ tokens: [whole.slice(i, i + 700)] }]);
      if (i % 4 === 0) await life.restart(i % 8 === 0);
    }
    await life.send([{ tokens: ['\nSo be it.\n'], final: true }]);
    assert.equal(life.whole, redactor.redactText(`${whole}\nSo be it.\n`));
    assert.doesNotMatch(life.whole, /driftw/);
  }
});

/** Values that tell by their beginning, or by what stands before them, that they are secret. */
const planted = [
  { before: 'password=', value: 'hunter2-Zq3Lw8Xv' },
  { before: '"api_key": "', value: KEY, after: '"' },
  { before: '', value: `ghp_${KEY}Zq3Lw` },
  { before: 'postgres://app:', value: KEY.slice(0, 20), after: '@db.internal/x' },
  { before: '', value: PEM },
  { before: 'the API key is ', value: 'kqzvbnmtrewp77' },
  { before: 'Authorization: Bearer ', value: 'sunflowerfield' },
  { before: "CREATE USER app IDENTIFIED BY '", value: 'R34d0nly!Zq3', after: "'" },
];

test('[RD6] the continuation of something hidden is never shown, whatever comes between its pieces', async () => {
  const story = fc
    .tuple(fc.constantFrom(...planted), words, filler, words)
    .chain(([{ before, value, after = ' ' }, a, b, c]) =>
      lived(fc.constant(`${a} ${b} ${before}${value}${after} ${c}`)).map((told) => ({ told, value })),
    );
  await fc.assert(
    fc.asyncProperty(story, async ({ told, value }) => {
      // At least one cut within the value.
      const at = told.whole.indexOf(value) + 1 + ((told.pieces.length * 7) % (value.length - 1));
      const pieces = told.pieces.length > 1 ? told.pieces : [told.whole.slice(0, at), told.whole.slice(at)];
      const life = await live({ ...told, pieces });
      const around = told.whole.replace(value, ' ');
      for (const output of [...life.outputs, JSON.stringify(life.disk)]) {
        // Of a key in PEM its label is no secret.
        const secret = value === PEM ? KEY + KEY : value;
        for (let i = 4; i + 6 <= secret.length; i++) {
          const piece = secret.slice(i, i + 6);
          if (around.includes(piece)) continue;
          assert.ok(!output.includes(piece), `${piece} in ${output.slice(-300)}`);
        }
      }
    }),
    { numRuns: 150 },
  );
});

test('[RD6] a word that announces a value does so across the border of two entries', async () => {
  for (const [first, second, value] of [
    ['The admin p', 'assword is qE^siK7reaL8 according to the wiki.', 'qE^siK7reaL8'],
    ['It sets DB_P', 'ASSWORD=hunter2x for now', 'hunter2x'],
    [
      `${'Nothing here. '.repeat(90)}the p`,
      `assword is qE^siK7reaL8 ${'and on. '.repeat(90)}`,
      'qE^siK7reaL8',
    ],
  ] as const) {
    for (const happens of ['nothing', 'pause', 'silence', 'kill'] as const) {
      const life = new Life();
      await life.send([{ text: first }]);
      if (happens === 'pause') await life.silence(3000);
      if (happens === 'silence') await life.silence(70_000);
      if (happens === 'kill') await life.restart(false);
      await life.send([{ text: second }]);
      await life.silence(3000);
      assert.match(life.whole, /\[SECRET:\w+\]/);
      for (const output of [...life.outputs, life.whole])
        assert.ok(!output.includes(value), output.slice(-200));
    }
  }
});

test('[RD6] clean entries on lines of their own stay as they are', async () => {
  const lines = fc.array(fc.lorem({ maxCount: 12 }), { minLength: 1, maxLength: 9 });
  await fc.assert(
    fc.asyncProperty(lines, async (entries) => {
      const life = new Life();
      // Alone at the end some words could be the beginning of a key.
      const told = [...entries, 'So be it.'];
      for (const text of told) await life.send([{ text }]);
      await life.silence(3000);
      assert.equal(life.whole, told.join('\n'));
    }),
    { numRuns: 50 },
  );
});

test('[RD6] a piece that comes after its neighbours were let go is not shown, and parts nothing', async () => {
  for (const happens of ['silence', 'stop', 'kill', 'length'] as const) {
    const life = new Life();
    const more = happens === 'length' ? 'It reads the table. '.repeat(300) : '';
    await life.send([{ tokens: ['the password='], sequence: 1 }]);
    await life.send([{ tokens: [`Zz19 and on. ${more} Then password=hun`], sequence: 3 }]);
    if (happens === 'silence') await life.silence(70_000);
    else if (happens === 'length') {
      await life.silence(200);
      await life.send([{ tokens: ['t'], sequence: 4 }]);
    } else await life.restart(happens === 'stop');
    await life.send([{ tokens: ['qX7vTr2Kp9LmZw4N'], sequence: 2 }]);
    await life.restart(false);
    await life.send([{ tokens: ['er2-Qx it was.'], sequence: 5, final: true }]);
    const { whole } = life;
    const [before, after, ...others] = whole.split(' [REDACTION_ERROR] ');
    assert.match(
      `${before}${after}`,
      /^the password=\[SECRET:\w+\] and on\. .* Then password=\[SECRET:\w+\] it was\./s,
    );
    assert.deepEqual(others, []);
    for (const output of [...life.outputs, whole]) assert.ok(!/qX7v|Kp9L|er2-/.test(output), output);
  }
});

test('[RD6] a thought that a flood of others pushed out goes on as cut off, others begin whole', async () => {
  const life = new Life();
  await life.send([{ tokens: ['the password=qX7v'] }]);
  await life.silence(70_000);
  life.crowdOut();
  await life.send([{ tokens: ['Tr2Kp9LmZw4N and on'] }]);
  await life.silence(3000);
  assert.match(life.whole, /^the password=\[SECRET:\w+\]\s+and on$/);
  await life.send([{ requestId: 'new', tokens: ['Tr2Kp9LmZw4N and on'] }]);
  await life.silence(3000);
  assert.equal(life.disk.findLast(({ requestId }) => requestId === 'new')?.text, 'Tr2Kp9LmZw4N and on');
});

test('[RD6] of JSON that is not whole nothing is shown from a sensitive name on, whatever the depth', async () => {
  const value = 'qX7vTr2Kp9LmZw4N';
  for (const begun of [
    `{"password": ["${value}"`,
    `{"a": [1, {"password":${' '.repeat(40)}"${value}"`,
    `{"credentials": {"user": "bob", "v": "${value}"`,
    `{"pass\\u0077ord" : {"a": "${value} and ${value}"`,
    JSON.stringify({ body: `{"secret": {"a": "${value}", "b` }).slice(0, -2),
  ]) {
    for (const happens of ['pause', 'stop', 'kill'] as const) {
      const life = new Life();
      await life.send([{ tokens: [begun] }]);
      if (happens === 'pause') await life.silence(3000);
      else await life.restart(happens === 'stop');
      for (const output of [...life.outputs, life.whole]) assert.ok(!output.includes('X7vTr'), output);
    }
  }
  const life = new Life();
  await life.send([{ tokens: [`{"user": "bob", "text": "It reads`] }]);
  await life.silence(3000);
  assert.equal(life.shown, `{"user": "bob", "text": "It reads`);
});

test('[RD6] what comes after the end of a thought that ended within something hidden begins as cut off', async () => {
  for (const happens of ['silence', 'stop', 'kill'] as const) {
    const life = new Life();
    await life.send([{ tokens: ['the password=qX7'], final: true }]);
    if (happens === 'silence') await life.silence(70_000);
    else await life.restart(happens === 'stop');
    await life.send([{ tokens: ['vTr2Kp9LmZw4N and on.'], final: true }]);
    if (happens === 'silence') await life.silence(70_000);
    else await life.restart(happens === 'stop');
    await life.send([{ tokens: ['More.'], final: true }]);
    assert.match(life.whole, /^the password=\[SECRET:\w+\]\n and on\.\nMore\.$/);
  }
});

test('[CO1] what came without a sequence stays in front when entries with one come in another order', async () => {
  const life = new Life();
  await life.send([{ tokens: ['It begins, '] }]);
  await life.send([{ tokens: ['then goes on '], sequence: 5 }]);
  await life.send([{ tokens: ['in between, '], sequence: 3 }]);
  await life.send([{ tokens: ['and ends.'], sequence: 6, final: true }]);
  assert.equal(life.whole, 'It begins, in between, then goes on and ends.');
});

test('[CO1] tokens that are equal, in one millisecond and without a sequence, are all there in their order', async () => {
  const life = new Life();
  for (const token of ['The table', ' is', ' |', ' a', ' |', ' b', ' |'])
    await life.send([{ tokens: [token] }]);
  await life.send([{ tokens: [' |'] }, { tokens: [' |'] }]);
  await life.silence(3000);
  assert.equal(life.whole, 'The table is | a | b | | |');
});

test('[IN30] a request that is sent again byte for byte adds nothing, a restart later neither; others do', async () => {
  const life = new Life();
  await life.send([{ tokens: ['one '] }, { tokens: ['one '] }], 'a');
  await life.send([{ tokens: ['two '] }], 'b');
  await life.send([{ tokens: ['one '] }, { tokens: ['one '] }], 'a');
  await life.restart(false);
  await life.send([{ tokens: ['two '] }], 'b');
  await life.silence(70_000);
  await life.send([{ tokens: ['one '] }, { tokens: ['one '] }], 'a');
  await life.send([{ tokens: ['one '] }], 'c');
  await life.restart(true);
  assert.equal(life.whole, 'one one two one ');
  // Of the last 32 requests only: what was sent before them may be sent anew.
  for (let i = 0; i < 32; i++) await life.send([{ tokens: ['.'] }], `dot ${i}`);
  await life.send([{ tokens: ['two '] }], 'b');
  assert.ok(life.whole.endsWith('.two '), life.whole);
});

test('[IN30] with a sequence nothing is there twice, however requests were made up anew', async () => {
  const life = new Life();
  const entries = ['a', 'b', 'c', 'd', 'e'].map((token, sequence) => ({ tokens: [token], sequence }));
  await life.send(entries.slice(0, 2), 'x');
  await life.send(entries.slice(3), 'y');
  await life.restart(false);
  assert.equal(life.whole, 'abde', 'what waited for a gap was acknowledged and is kept');
  await life.send(entries, 'z');
  const late = 'abde [REDACTION_ERROR] ';
  assert.equal(life.whole, late, 'what comes after a restart has no neighbours any more');
  await life.send([{ tokens: ['!'], sequence: 5, final: true }]);
  await life.restart(true);
  await life.send(entries, 'again');
  await life.restart(false);
  assert.equal(life.whole, 'abde! [REDACTION_ERROR] ');
});

/** Beginnings of secrets that don't tell what they are. */
const halves = [
  ['By SSN ', '536-90', '-4321 and on.'],
  ['Write to ', 'wilhelmina.kuck', '@example.com now.'],
  ['It is ', '4111 11', '11 1111 1111 and no more.'],
] as const;

test('[RD6] half a secret is not shown before 2 s of silence, after a kill or a stop neither', async () => {
  for (const [before, half, rest] of halves) {
    for (const happens of ['nothing', 'stop', 'kill'] as const) {
      for (const repeats of [false, true]) {
        const life = new Life();
        await life.send([{ tokens: [before + half] }], 'first');
        for (let i = 0; i < 2; i++) {
          await life.silence(happens === 'nothing' ? 900 : 1999);
          if (repeats) await life.send([{ tokens: [before + half] }], 'first');
          if (happens !== 'nothing') await life.restart(happens === 'stop');
        }
        for (const output of life.outputs) assert.ok(before.startsWith(output), output);
        await life.send([{ tokens: [rest] }], 'second');
        await life.silence(2000);
        assert.equal(life.shown, redactor.redactText(before + half + rest));
        for (const output of life.outputs) assert.ok(!output.includes(half), output);
      }
    }
  }
});

test('[RD6] half a secret is shown after 2 s of silence, and then stays, whatever restarts come in between', async () => {
  for (const [before, half] of halves) {
    for (const happens of ['nothing', 'stop', 'kill'] as const) {
      const life = new Life();
      await life.send([{ tokens: [before + half] }], 'first');
      if (happens !== 'nothing') await life.restart(happens === 'stop');
      // What is sent again is no news, and holds nothing up for longer.
      await life.silence(1000);
      await life.send([{ tokens: [before + half] }], 'first');
      await life.silence(2000);
      assert.equal(life.shown, before + half);
      if (happens !== 'nothing') await life.restart(happens === 'stop');
      assert.equal(life.shown, before + half);
      await life.send([{ tokens: [' and'] }], 'second');
      assert.ok(life.shown.startsWith(before + half), life.shown);
    }
  }
});

test('[RD6] what was acknowledged is on disk with its end, without a restart having been clean', async () => {
  const life = new Life();
  const thought = 'We compare both tables and keep the newer row. '.repeat(40);
  for (let i = 0; i < thought.length; i += 5) await life.send([{ tokens: [thought.slice(i, i + 5)] }]);
  await life.restart(false);
  assert.equal(life.whole, thought);
});

test('[RD6] what is sealed of a plain text is short, and longer where rules look back over codes', async () => {
  const sealed = async (word: string): Promise<number> => {
    const life = new Life();
    await life.send([{ text: `${word} reads the table again, then writes. `.repeat(100) }]);
    return Buffer.from(life.disk.at(-1)?.context ?? '', 'base64').length;
  };
  assert.ok((await sealed('It')) < 1100, 'plain');
  assert.ok((await sealed('It%20now')) > 2048, 'with codes');
  assert.ok((await sealed('Sie\u200b')) > 2048, 'with what is not seen');
});

test('[RD6] a line break between two entries is none for redaction', async () => {
  for (const happens of ['nothing', 'pause', 'kill'] as const) {
    const life = new Life();
    await life.send([{ text: 'It says password=hunt' }]);
    if (happens === 'pause') await life.silence(3000);
    if (happens === 'kill') await life.restart(false);
    await life.send([{ text: 'er2-Zq and so on' }]);
    await life.send([{ text: 'mail jane.doe@' }, { text: 'example.com now', final: true }]);
    assert.match(life.whole, /^It says password=\[SECRET:\w+\] and so on\nmail \[EMAIL:\w+\] now$/);
    for (const output of life.outputs) assert.ok(!/hunt|er2-|doe/.test(output), output);
  }
});

test('[RD6] each end that is held back is shown 2 s later, and what was shown in a silence stays shown', async () => {
  const life = new Life();
  const sentences = [
    'It reads the table. ',
    'Then it writes the',
    ' next one to jane.doe@',
    'example.com, and that is all. ',
  ];
  for (const [i, sentence] of sentences.entries()) {
    const before = life.shown;
    await life.send([{ tokens: [sentence] }]);
    assert.ok(i === 3 || life.shown.startsWith(before), `${before} became ${life.shown}`);
    await life.silence(2000);
    assert.equal(life.shown, life.whole);
    if (i === 1) await life.silence(5000);
    if (i === 2) await life.restart(false);
  }
  const whole = redactor.redactText(sentences.join(''));
  assert.equal(life.shown, whole);
  await life.send([{ tokens: ['More.'] }]);
  assert.equal(life.shown, whole);
  await life.silence(70_000);
  await life.send([{ tokens: [' And more.'] }]);
  assert.equal(life.shown, `${whole}More. And `);
});

test('[RD6] a number that may go on as one of a card, an account or a phone is hidden when the thought falls silent', async () => {
  const open = [
    '4111 1111',
    '4111-1111-11',
    '41111111',
    'GB82 WEST 1234 56',
    'gb82west1234',
    '+44 20 7946',
    '(415) 555-01',
    'RSSMRA85T10A5',
    'HEGG560427MVZ',
  ];
  for (const number of open) {
    const life = new Life();
    await life.send([{ tokens: [`It is ${number}`] }]);
    await life.silence(2000);
    assert.match(life.shown, /^It is [+(]?\[[A-Z]+:\w+\]$/);
    await life.send([{ tokens: [' or so.'] }]);
    await life.silence(2000);
    assert.equal(life.shown, redactor.redactText(`It is ${number} or so.`));
  }
  for (const number of ['1234567', '2025-01-21', '4111 1111, no']) {
    const life = new Life();
    await life.send([{ tokens: [`It is ${number}`] }]);
    await life.silence(2000);
    assert.equal(life.shown, `It is ${number}`);
  }
  const life = new Life();
  await life.send([{ tokens: ['It is 4111 1111 11'], final: true }]);
  assert.equal(life.shown, 'It is 4111 1111 11');
});

test('[RD6] what cannot be opened goes on hidden up to the first blank, so that no line of a key is shown', async () => {
  const at = PEM.indexOf(KEY) + 10;
  for (const form of ['tokens', 'text'] as const) {
    const life = new Life();
    await life.send([{ tokens: [PEM.slice(0, at)] }]);
    await life.restart(false);
    life.disk = life.disk.map((state) => ({ ...state, context: 'lost' }));
    await life.restart(false);
    for (const line of `${PEM.slice(at)} was the key.`.split(/(?<=\n)/))
      await life.send([form === 'tokens' ? { tokens: [line] } : { text: line.trimEnd() }]);
    await life.silence(2000);
    for (const piece of [KEY.slice(0, 6), KEY.slice(-6)]) assert.ok(!life.shown.includes(piece), life.shown);
    assert.match(life.shown, / was the key\.$/);
  }
});

test('[RD20] the names and the summary of a thought are as short as its node shows them, and what waits counts', async () => {
  const life = new Life();
  const long = 'lorem ipsum '.repeat(20_000);
  await life.send([{ tokens: ['x'], summary: long, agent: long, model: long, taskId: long }]);
  for (const [name, value] of Object.entries(life.disk.at(-1) ?? {}))
    if (typeof value === 'string' && name !== 'context') assert.ok(value.length <= 256, name);
  const order = new EntryOrder(undefined);
  order.place(makeEntry({ sequence: 1, summary: long }));
  assert.ok(order.size > long.length);
});
