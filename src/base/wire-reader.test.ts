import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WireReader } from './wire-reader.ts';

function nameOf(text: string): string {
  const bytes = Buffer.from(text);
  return new WireReader(bytes).name(bytes.length);
}

test('[IN2] names that differ in any one character, or in length, are told apart however often they come', () => {
  const long = 'gen_ai.usage.input_tokens.of_a_name_with_48_chars';
  for (let length = 1; length <= long.length; length++) {
    const name = long.slice(-length);
    for (let i = 0; i < length; i++) {
      const other = `${name.slice(0, i)}#${name.slice(i + 1)}`;
      const names = [name, other, name, name, other, other, `${name}s`, name];
      assert.deepEqual(names.map(nameOf), names);
    }
  }
  for (const name of ['schlüssel', 'ключ', '😀😀', 'naïve'])
    assert.deepEqual([name, name].map(nameOf), [name, name]);
});
