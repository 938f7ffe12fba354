import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';

type Message = { readonly [field: string]: unknown };

interface Capability {
  readonly kind: string;
}

export interface GatewayOptions {
  /** What a token lets its holder send. */
  readonly tokens?: { readonly [token: string]: readonly Capability[] };
  readonly port?: number;
}

/** What everybody may send, whatever token they show. */
const DEFAULTS: readonly Capability[] = [{ kind: 'reasoning/*' }, { kind: 'chat' }, { kind: 'stream/*' }];
const ALWAYS = new Set(['system/heartbeat', 'mcp/response']);
const PROTOCOLS = new Set<unknown>([undefined, 'mew/v0.4', 'mew/v0.3']);

/**
 * A gateway of MEW for tests, with the ways in which the real one departs from its specification: it knows no header and no
 * path, lets a wrong token in, lets a message name any sender, sends everything to everybody whatever `to` says and back to
 * its sender, and opens a stream before it passes on who asked for it.
 */
export class MewGateway {
  /** The lines of its `envelope-history.jsonl`; that of a join has the token in clear. */
  readonly history: Message[] = [];
  /** What came of each kind, from whomever. */
  readonly came: Message[] = [];
  private readonly server: WebSocketServer;
  private readonly tokens: NonNullable<GatewayOptions['tokens']>;
  private readonly members = new Map<
    WebSocket,
    { readonly id: string; readonly may: readonly Capability[] }
  >();
  private streams = 0;
  private messages = 0;

  private constructor({ tokens = {}, port = 0 }: GatewayOptions) {
    this.tokens = tokens;
    this.server = new WebSocketServer({ host: '127.0.0.1', port });
    this.server.on('connection', (socket) => {
      socket.on('message', (data: Buffer) => this.take(socket, data.toString('utf8')));
      socket.on('close', () => this.leave(socket));
    });
  }

  static async start(options: GatewayOptions = {}): Promise<MewGateway> {
    const gateway = new MewGateway(options);
    await once(gateway.server, 'listening');
    return gateway;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `ws://127.0.0.1:${this.port}`;
  }

  get participants(): readonly string[] {
    return [...this.members.values()].map(({ id }) => id);
  }

  /** As a participant says it. @param from who sends, which the message may deny */
  say(from: string, message: Message): void {
    this.broadcast(this.filled(message, from), from);
  }

  /** A frame of a stream, as it is. */
  frame(text: string): void {
    for (const socket of this.members.keys()) socket.send(text);
  }

  /** Somebody who is not connected here has left. */
  left(participant: string): void {
    this.say('system:gateway', {
      kind: 'system/presence',
      from: 'system:gateway',
      payload: { event: 'leave', participant: { id: participant } },
    });
  }

  async stop(): Promise<void> {
    for (const socket of this.server.clients) socket.terminate();
    this.server.close();
    await once(this.server, 'close');
  }

  private take(socket: WebSocket, text: string): void {
    const member = this.members.get(socket);
    if (text.startsWith('#')) return this.frame(text);
    const message = JSON.parse(text) as Message;
    this.came.push(message);
    if (!member) return this.join(socket, message);
    if (!PROTOCOLS.has(message['protocol'])) {
      // As some of its errors: without id, time and sender.
      socket.send(JSON.stringify({ kind: 'system/error', payload: { error: 'VALIDATION_ERROR' } }));
      return;
    }
    const kind = String(message['kind']);
    if (!ALWAYS.has(kind) && !member.may.some((capability) => fits(capability.kind, kind))) {
      const payload = { error: 'capability_violation', attempted_kind: kind, your_capabilities: member.may };
      socket.send(JSON.stringify({ kind: 'system/error', correlation_id: [message['id']], payload }));
      return;
    }
    if (kind === 'system/heartbeat') return;
    const filled = this.filled(message, member.id);
    if (kind === 'stream/request') {
      const payload = { stream_id: `stream-${++this.streams}` };
      this.broadcast(
        this.filled({ kind: 'stream/open', correlation_id: filled['id'], payload }, 'gateway'),
        'gateway',
      );
    }
    this.broadcast(filled, member.id);
  }

  private join(socket: WebSocket, message: Message): void {
    const { type, kind, participantId, token, space } = message;
    if (type !== 'join' && kind !== 'system/join') {
      const payload = { error: 'capability_violation', attempted_kind: kind, your_capabilities: [] };
      socket.send(JSON.stringify({ kind: 'system/error', to: [null], payload }));
      return;
    }
    const id = String(participantId);
    const may = this.tokens[String(token)] ?? DEFAULTS;
    this.history.push({ event: 'received', envelope: message, participant: id, space_id: space });
    const payload = { you: { id, capabilities: may }, participants: this.participants, active_streams: [] };
    this.broadcast(
      this.filled(
        { kind: 'system/presence', payload: { event: 'join', participant: { id } } },
        'system:gateway',
      ),
      id,
    );
    this.members.set(socket, { id, may });
    socket.send(JSON.stringify(this.filled({ kind: 'system/welcome', to: [id], payload }, 'system:gateway')));
  }

  private leave(socket: WebSocket): void {
    const member = this.members.get(socket);
    this.members.delete(socket);
    if (member) this.left(member.id);
  }

  private filled(message: Message, from: string): Message {
    const { correlation_id: of } = message;
    return {
      protocol: 'mew/v0.4',
      id: `msg-${Date.now()}-${++this.messages}`,
      ts: new Date().toISOString(),
      from,
      ...message,
      ...(typeof of === 'string' && { correlation_id: [of] }),
    };
  }

  private broadcast(message: Message, from: string): void {
    const line = { timestamp: message['ts'], id: message['id'], envelope: message, space_id: 'yard' };
    this.history.push({ ...line, event: 'received', participant: from });
    for (const [socket, { id }] of this.members) {
      socket.send(JSON.stringify(message));
      this.history.push({ ...line, event: 'delivered', participant: id });
    }
  }
}

/** As the live gateway compares: exactly, everything, or all below a prefix. */
function fits(pattern: string, kind: string): boolean {
  return (
    pattern === '*' || pattern === kind || (pattern.endsWith('/*') && kind.startsWith(pattern.slice(0, -1)))
  );
}
