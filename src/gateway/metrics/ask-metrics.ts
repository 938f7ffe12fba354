import { request as requestPlain, type IncomingMessage } from 'node:http';
import { request as requestTls, type RequestOptions } from 'node:https';

export interface AskedForMetrics {
  /** `host:port` of its port for readers. */
  readonly address: string;
  readonly token?: string | undefined;
  /** Absent: plain text. */
  readonly tls?: Pick<RequestOptions, 'ca' | 'cert' | 'key'> | undefined;
}

/** A service's metrics have some 20 KiB. */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * `GET /metrics` of a cell. @throws Error when it does not answer with 200, or with too much; never one that holds its text
 */
export function askMetrics({ address, token, tls }: AskedForMetrics, signal: AbortSignal): Promise<string> {
  const options = {
    method: 'GET',
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    signal,
  };
  return new Promise((resolve, reject) => {
    const answered = (response: IncomingMessage): void => void textOf(response).then(resolve, reject);
    const asked = tls
      ? requestTls(`https://${address}/metrics`, { ...options, ...tls }, answered)
      : requestPlain(`http://${address}/metrics`, options, answered);
    asked.on('error', reject).end();
  });
}

async function textOf(response: IncomingMessage): Promise<string> {
  if (response.statusCode !== 200) {
    response.destroy();
    throw new Error(`it answered with ${response.statusCode}`);
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new Error(`it answered with more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
