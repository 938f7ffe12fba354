import type { ReaderApi } from './reader-api.ts';

/**
 * The reader for somebody whose subscriptions are counted.
 * @param hold counts one more until what it returns is called. @throws BoundaryError RESOURCE_EXHAUSTED
 */
export function heldReader(reader: ReaderApi, hold: () => () => void): ReaderApi {
  return {
    ...reader,
    subscribe(request, sink, requestId) {
      const release = hold();
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
