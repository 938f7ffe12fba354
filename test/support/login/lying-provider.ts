import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const OTHER = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;

/** What an ID token says, and how it is signed. */
export interface Lie {
  readonly header?: object;
  readonly claims?: object;
  /** Claims that are times: seconds from when the token is given. */
  readonly seconds?: Readonly<Record<string, number>>;
  readonly signedBy?: 'other' | 'nobody';
}

/** A provider that answers every code with the token that it is told to give. */
export class LyingProvider {
  readonly issuer: string;
  /** Of the token that is given next. */
  lie: Lie = {};
  nonce = '';
  /** Bytes after the description, or the token. */
  padding = 0;
  private readonly server: Server;

  private constructor(issuer: string, server: Server) {
    this.issuer = issuer;
    this.server = server;
  }

  static async start(): Promise<LyingProvider> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const provider = new LyingProvider(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, server);
    server.on('request', (request, response) => provider.answer(request, response));
    return provider;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private answer({ url = '' }: IncomingMessage, response: ServerResponse): void {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(this.answerTo(url)) + ' '.repeat(this.padding));
  }

  private answerTo(path: string): object {
    if (path === '/keys') {
      const key = createPublicKey(privateKey).export({ format: 'jwk' });
      return { keys: [{ ...key, kid: 'one', use: 'sig', alg: 'RS256' }] };
    }
    if (path === '/token')
      return { access_token: 'access', token_type: 'Bearer', expires_in: 300, id_token: this.idToken() };
    return {
      issuer: this.issuer,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
      jwks_uri: `${this.issuer}/keys`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256', 'none'],
    };
  }

  private idToken(): string {
    const now = Math.floor(Date.now() / 1000);
    const { header, claims, seconds = {}, signedBy } = this.lie;
    const times = Object.entries(seconds).map(([name, from]) => [name, now + from]);
    const parts = [
      { alg: 'RS256', kid: 'one', ...header },
      {
        iss: this.issuer,
        aud: 'explain',
        sub: 'ada',
        groups: ['analysts'],
        nonce: this.nonce,
        iat: now,
        exp: now + 300,
        ...claims,
        ...Object.fromEntries(times),
      },
    ].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
    const signed = parts.join('.');
    if (signedBy === 'nobody') return `${signed}.`;
    const key = signedBy === 'other' ? OTHER : privateKey;
    return `${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}`;
  }
}
