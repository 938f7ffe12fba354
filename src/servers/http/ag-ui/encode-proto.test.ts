import assert from 'node:assert/strict';
import { test } from 'node:test';
import protobuf from 'protobufjs';
import { encodeProtoEvent } from './encode-proto.ts';

/** The part of AG-UI's protobuf definitions that the test reads, by the numbers that are published. */
const { root } = protobuf.parse(`
  syntax = "proto3";
  message Value {
    oneof kind {
      int32 nullValue = 1; double numberValue = 2; string stringValue = 3; bool boolValue = 4;
      Struct structValue = 5; ListValue listValue = 6;
    }
  }
  message Struct { map<string, Value> fields = 1; }
  message ListValue { repeated Value values = 1; }
  message Base { int32 type = 1; optional int64 timestamp = 2; Value rawEvent = 3; Struct metadata = 4; }
  message Text { Base base = 1; string messageId = 2; optional string role = 3; optional string name = 4; }
  message Patch { int32 op = 1; string path = 2; optional string from = 3; Value value = 4; }
  message Delta { Base base = 1; repeated Patch delta = 2; }
  message Custom { Base base = 1; string name = 2; Value value = 3; }
  message Interrupt { string id = 1; string reason = 2; }
  message Finished {
    Base base = 1; string threadId = 2; string runId = 3; string outcome = 5; repeated Interrupt interrupts = 6;
  }
  message TextPart { string text = 1; }
  message Source { oneof from { Url url = 2; } }
  message Url { string value = 1; string mimeType = 2; }
  message Image { Source source = 1; }
  message Part { oneof part { TextPart text = 1; Image image = 2; } }
  message Result { Base base = 1; string messageId = 3; string toolCallId = 4; optional string content = 5; repeated Part parts = 7; }
  message Event {
    oneof event { Text text = 1; Delta delta = 8; Custom custom = 11; Finished finished = 13; Result result = 22; }
  }
`);
const Event = root.lookupType('Event');

function read(event: Parameters<typeof encodeProtoEvent>[0]): object {
  return Event.toObject(Event.decode(encodeProtoEvent(event)), { longs: Number });
}

test('[AG27] the base of an event has its type, time and metadata, as Struct has JSON', () => {
  const metadata = { a: 1.5, b: [null, true, 'x', {}], left: undefined };
  assert.deepEqual(
    read({ type: 'TEXT_MESSAGE_START', messageId: 'm', role: 'user', timestamp: -5, metadata, unknown: 1 }),
    {
      text: {
        base: {
          type: 0,
          timestamp: -5,
          metadata: {
            fields: {
              a: { numberValue: 1.5 },
              b: {
                listValue: {
                  values: [{ nullValue: 0 }, { boolValue: true }, { stringValue: 'x' }, { structValue: {} }],
                },
              },
            },
          },
        },
        messageId: 'm',
        role: 'user',
      },
    },
  );
});

test('[AG27] operations of patches, outcomes and contents in parts are written as their messages have them', () => {
  assert.deepEqual(read({ type: 'STATE_DELTA', delta: [{ op: 'replace', path: '/a', value: null }] }), {
    delta: { base: { type: 7 }, delta: [{ op: 2, path: '/a', value: { nullValue: 0 } }] },
  });
  const interrupts = [{ id: 'i', reason: 'why' }];
  assert.deepEqual(
    read({ type: 'RUN_FINISHED', threadId: 't', runId: 'r', outcome: { type: 'interrupt', interrupts } }),
    { finished: { base: { type: 12 }, threadId: 't', runId: 'r', outcome: 'interrupt', interrupts } },
  );
  const content = [
    { type: 'text', text: 'x' },
    { type: 'image', source: { type: 'url', value: 'u', mimeType: 'image/png' } },
  ];
  assert.deepEqual(read({ type: 'TOOL_CALL_RESULT', messageId: 'm', toolCallId: 'c', content }), {
    result: {
      base: { type: 21 },
      messageId: 'm',
      toolCallId: 'c',
      parts: [{ text: { text: 'x' } }, { image: { source: { url: { value: 'u', mimeType: 'image/png' } } } }],
    },
  });
  assert.deepEqual(read({ type: 'CUSTOM', name: 'n', value: null }), {
    custom: { base: { type: 10 }, name: 'n', value: { nullValue: 0 } },
  });
});
