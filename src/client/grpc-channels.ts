import type { Client, ClientReadableStream } from '@grpc/grpc-js';

/**
 * Streams on one connection. The service takes 200 calls on each, and more of them wait there without a word: some are
 * left for what is asked meanwhile.
 */
const MAX_STREAMS = 150;

interface Channel<C> {
  readonly client: C;
  streams: number;
}

/** As many connections to one service as its streams need. All that is no stream goes over the first. */
export class GrpcChannels<C extends Pick<Client, 'close'>> {
  readonly first: C;
  private readonly open: () => C;
  private readonly channels: Channel<C>[] = [];

  constructor(open: () => C) {
    this.open = open;
    this.first = this.add().client;
  }

  /** Begins a stream where there is room for it. @returns the stream, whose end makes room again */
  stream<T>(begin: (client: C) => ClientReadableStream<T>): ClientReadableStream<T> {
    const channel = this.channels.find(({ streams }) => streams < MAX_STREAMS) ?? this.add();
    channel.streams++;
    // There is one however a call ends, also by being cancelled.
    return begin(channel.client).once('status', () => this.ended(channel));
  }

  close(): void {
    for (const { client } of this.channels.splice(0)) client.close();
  }

  private add(): Channel<C> {
    const channel = { client: this.open(), streams: 0 };
    this.channels.push(channel);
    return channel;
  }

  private ended(channel: Channel<C>): void {
    channel.streams--;
    const at = this.channels.indexOf(channel);
    if (channel.streams > 0 || at <= 0) return;
    this.channels.splice(at, 1);
    channel.client.close();
  }
}
