import type { ReaderApi } from './reader-api.ts';

/**
 * The reader for somebody whose subscriptions are counted.
 * @param hold counts one more until what it returns is called; given what ends it, to make room for others. @throws BoundaryError RESOURCE_EXHAUSTED
 */
export function heldReader(reader: ReaderApi, hold: (end: () => void) => () => void): ReaderApi {
  return {
    ...reader,
    subscribe(request, sink, requestId) {
      let subscriptionId: string | undefined;
      const release = hold(() => {
        sink.close('others have less: this one makes room');
        if (subscriptionId !== undefined) reader.unsubscribe(subscriptionId);
      });
      const held = {
        ...(sink.detail && { detail: sink.detail }),
        connection: sink.connection ?? sink,
        get writable() {
          return sink.writable;
        },
        write: (frame: Parameters<typeof sink.write>[0]) => sink.write(frame),
        close(reason: string) {
          release();
          sink.close(reason);
        },
      };
      try {
        const handle = reader.subscribe(request, held, requestId);
        subscriptionId = handle.subscriptionId;
        return {
          ...handle,
          disconnected() {
            release();
            handle.disconnected();
          },
        };
      } catch (error) {
        release();
        throw error;
      }
    },
  };
}
