import assert from 'node:assert/strict';

/** What the tests' services are administered by. */
export const ADMIN = 'admin-of-the-tests';
export const AUTH = ['--auth', JSON.stringify({ token: 'sender-of-the-tests', adminToken: ADMIN })];

export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Somebody with a key, at one service. */
export class Party {
  readonly key: string;
  private readonly base: string;

  /** @param base `http://host:port` of the readers' port */
  constructor(base: string, key: string) {
    this.base = base;
    this.key = key;
  }

  /** With a new key of a project. */
  static async of(
    base: string,
    project: string,
    roles: readonly string[] = ['sender', 'admin'],
  ): Promise<Party> {
    const admin = new Party(base, ADMIN);
    const made = await admin.post('/api/keys', { name: `of ${project}`, roles, project });
    assert.ok(made.status < 300, made.text);
    return new Party(base, (JSON.parse(made.text) as { readonly key: string }).key);
  }

  /** The same, who asks another start of the service. */
  at(base: string): Party {
    return new Party(base, this.key);
  }

  async get(path: string): Promise<Answer> {
    return this.ask(path, {});
  }

  async post(path: string, body: unknown, contentType = 'application/json'): Promise<Answer> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return this.ask(path, { method: 'POST', body: text, headers: { 'content-type': contentType } });
  }

  /** What a tool of MCP answers. */
  async tool(name: string, given: object): Promise<Answer> {
    return this.post('/mcp', {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: given },
    });
  }

  /** @throws AssertionError when it was not taken */
  async send(path: string, body: unknown, contentType?: string): Promise<void> {
    const answer = await this.post(path, body, contentType);
    assert.ok(answer.status < 300, `${path}: ${answer.status} ${answer.text}`);
  }

  private async ask(
    path: string,
    request: { readonly method?: string; readonly body?: string; readonly headers?: object },
  ): Promise<Answer> {
    const headers = { ...request.headers, authorization: `Bearer ${this.key}` };
    const response = await fetch(this.base + path, { ...request, headers });
    return { status: response.status, text: await response.text() };
  }
}
