import { request as requestPlain, type IncomingMessage } from 'node:http';
import { request as requestTls } from 'node:https';

/** Keeps cookies as a browser does, follows no redirect, and sends whatever headers it is told to. */
export class Browser {
  private readonly base: string;
  private readonly ca: string | undefined;
  private readonly jar = new Map<string, string>();

  /** @param ca of a service that speaks TLS, PEM */
  constructor(base: string, ca?: string) {
    this.base = base;
    this.ca = ca;
  }

  get cookie(): string {
    return [...this.jar].map((pair) => pair.join('=')).join('; ');
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return this.ask('GET', path, headers);
  }

  post(path: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return this.ask('POST', path, { 'content-type': 'application/json', ...headers }, JSON.stringify(body));
  }

  async json(path: string): Promise<Record<string, unknown>> {
    return (await (await this.get(path)).json()) as Record<string, unknown>;
  }

  /** `fetch` leaves out headers such as Host and Origin. */
  private async ask(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body?: string,
  ): Promise<Response> {
    const { cookie } = this;
    const request = this.base.startsWith('https:') ? requestTls : requestPlain;
    const asked = request(this.base + path, {
      method,
      ...(this.ca !== undefined && { ca: this.ca }),
      headers: { ...headers, ...(cookie !== '' && { cookie }) },
    });
    asked.end(body);
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      asked.once('response', resolve);
      asked.once('error', reject);
    });
    for (const line of answer.headers['set-cookie'] ?? []) this.keep(line);
    const parts: Buffer[] = [];
    for await (const part of answer) parts.push(part as Buffer);
    const list = Object.entries(answer.headersDistinct).flatMap(([name, values = []]) =>
      values.map((value): [string, string] => [name, value]),
    );
    return new Response(parts.length > 0 ? Buffer.concat(parts) : null, {
      status: answer.statusCode ?? 0,
      headers: list,
    });
  }

  private keep(line: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    if (/Max-Age=0/.test(line)) this.jar.delete(name);
    else this.jar.set(name, value);
  }
}
