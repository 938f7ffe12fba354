import { AGENT_URL } from './ag-ui-channel.ts';
import { CHANNELS, type ChannelName, type SessionName } from './channels.ts';
import { Draw } from './draw.ts';
import type { Part } from './session.ts';
import { type Addresses, Held, talk } from './talk.ts';

/** Conversations at the same time. */
const CONCURRENCY = 40;
/** Sessions that are remembered: what brought a service down is among the last ones. */
const REMEMBERED = 500;

/** Ways in whose names match; the sessions of each are the same with and without the others. */
const ONLY = new RegExp(process.env['FUZZ_ONLY'] ?? '');

/** Sends sessions of a seed and remembers the last ones. */
export class Attack {
  readonly counts = new Map<ChannelName, number>();
  /** Oldest first. */
  readonly last: SessionName[] = [];
  private readonly seed: number;
  private readonly addresses: Addresses;
  private readonly held = new Held();

  constructor(seed: number, addresses: Addresses) {
    this.seed = seed;
    this.addresses = addresses;
  }

  get inputs(): number {
    return [...this.counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Random sessions of all channels until so many inputs were sent, or `until` says so. */
  async send(inputs: number, until: () => boolean): Promise<void> {
    const order = new Draw(this.seed, 'order');
    const shares = Object.fromEntries(
      Object.entries(CHANNELS).flatMap(([name, { share }]) => (ONLY.test(name) ? [[name, share]] : [])),
    ) as Record<ChannelName, number>;
    const next = new Map<ChannelName, number>();
    const lines = Array.from({ length: CONCURRENCY }, async () => {
      while (this.inputs < inputs && !until()) {
        const channel = order.weighted(shares);
        const index = next.get(channel) ?? 0;
        next.set(channel, index + 1);
        await this.play({ channel, index });
      }
    });
    await Promise.all(lines);
  }

  /** One session after the other. */
  async replay(sessions: readonly SessionName[], until: () => boolean): Promise<void> {
    for (const session of sessions) {
      if (until()) return;
      await this.play(session);
    }
  }

  end(): void {
    this.held.release();
  }

  private async play(name: SessionName): Promise<void> {
    const session = CHANNELS[name.channel].channel(new Draw(this.seed, name.channel, name.index));
    this.counts.set(name.channel, (this.counts.get(name.channel) ?? 0) + session.inputs);
    this.last.push(name);
    if (this.last.length > REMEMBERED) this.last.shift();
    const parts = session.parts.map((part) => withAgent(part, this.addresses.agent));
    await talk({ ...session, parts }, this.addresses, this.held);
  }
}

/** The session is the same on every machine; where the agent listens is not. */
function withAgent(part: Part, url: string): Part {
  if (!Buffer.isBuffer(part) || !part.includes(AGENT_URL)) return part;
  return Buffer.from(part.toString('latin1').replaceAll(AGENT_URL, url), 'latin1');
}
