import { createSocket } from 'node:dgram';

const TYPES = { A: 1, AAAA: 28, SRV: 33 } as const;
const SERVER_FAILURE = 2;
const NO_SUCH_NAME = 3;
const HEADER_BYTES = 12;

/** Addresses for A and AAAA, `host:port` for SRV. */
export type DnsRecords = { readonly [type in keyof typeof TYPES]?: readonly string[] };

export interface DnsServer {
  /** `127.0.0.1:PORT` */
  readonly address: string;
  /** What every name is answered with from now on: `fail` is SERVFAIL, `unknown` NXDOMAIN, `silent` nothing. */
  answer: DnsRecords | 'fail' | 'unknown' | 'silent';
  /** Questions so far. */
  readonly asked: number;
  close(): Promise<void>;
}

/** A DNS server for tests: one answer for all names, over UDP. */
export async function startDnsServer(answer: DnsServer['answer']): Promise<DnsServer> {
  const socket = createSocket('udp4');
  const server = {
    answer,
    asked: 0,
    address: '',
    close: () => new Promise<void>((resolve) => void socket.close(resolve)),
  };
  socket.on('message', (question, from) => {
    server.asked++;
    const reply = replyTo(question, server.answer);
    if (reply) socket.send(reply, from.port, from.address);
  });
  await new Promise<void>((resolve) => void socket.bind(0, '127.0.0.1', resolve));
  server.address = `127.0.0.1:${socket.address().port}`;
  return server;
}

function replyTo(question: Buffer, answer: DnsServer['answer']): Buffer | undefined {
  if (answer === 'silent') return undefined;
  const nameEnd = question.indexOf(0, HEADER_BYTES);
  const asked = question.subarray(HEADER_BYTES, nameEnd + 5);
  const type = question.readUInt16BE(nameEnd + 1);
  const records = typeof answer === 'string' ? [] : dataOf(answer, type);
  const code = answer === 'fail' ? SERVER_FAILURE : answer === 'unknown' ? NO_SUCH_NAME : 0;
  const header = Buffer.alloc(HEADER_BYTES);
  question.copy(header, 0, 0, 2);
  // An answer, recursion wanted and had.
  header.writeUInt16BE(0x8180 | code, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  return Buffer.concat([header, asked, ...records.map((data) => recordOf(type, data))]);
}

/** Of the name that was asked for, at offset 12, to be kept for no time. */
function recordOf(type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc000 | HEADER_BYTES, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

function dataOf(records: DnsRecords, type: number): readonly Buffer[] {
  if (type === TYPES.A)
    return (records.A ?? []).map((address) => Buffer.from(address.split('.').map(Number)));
  if (type === TYPES.AAAA) return (records.AAAA ?? []).map((address) => Buffer.from(address, 'hex'));
  return (records.SRV ?? []).map((target) => {
    const [host = '', port] = target.split(':');
    const numbers = Buffer.alloc(6);
    numbers.writeUInt16BE(Number(port), 4);
    const labels = host.split('.').flatMap((label) => [Buffer.from([label.length]), Buffer.from(label)]);
    return Buffer.concat([numbers, ...labels, Buffer.from([0])]);
  });
}
