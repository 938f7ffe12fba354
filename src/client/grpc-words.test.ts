import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wordsOf } from './grpc-words.ts';

test('[CL38] of a way that failed it is said why, without the words of grpc-js; what a service says stays', () => {
  const said: readonly (readonly [string, string])[] = [
    [
      'No connection established. Last error: Error: connect ECONNREFUSED 127.0.0.1:9000. Resolution note: ',
      'connect ECONNREFUSED 127.0.0.1:9000',
    ],
    [
      'No connection established. Last error: Failed to connect (2026-11-26T13:37:51.486Z). Resolution note: ',
      'Failed to connect',
    ],
    ['Deadline exceeded after 10.001s,remote_addr=127.0.0.1:9000', 'no answer within 10 s'],
    ['Deadline exceeded after 9.999s,Waiting for LB pick', 'no answer within 10 s'],
    ['Deadline exceeded after 0.049s', 'no answer within 1 s'],
    ['the service is stopping', 'the service is stopping'],
    ['', ''],
  ];
  for (const [details, words] of said) assert.equal(wordsOf(details), words);
});
