import type { Message } from './classify.ts';

const SESSION_BEGINS = 'session.created';

/**
 * The lines of an event log of ThoughtFlow belong to the session that was last begun in the file; only its first line names
 * it. A request holds some of them, so each is sent with the name.
 */
export class FlowLog {
  private sessionId: unknown;

  named(message: Message): Message {
    const value = JSON.parse(message.text) as { readonly [key: string]: unknown };
    if (value['type'] === SESSION_BEGINS) this.sessionId = value['session_id'];
    const isLine = typeof value['type'] === 'string' && value['session_id'] === undefined;
    if (!isLine || this.sessionId === undefined) return message;
    return { ...message, text: JSON.stringify({ ...value, session_id: this.sessionId }) };
  }
}
