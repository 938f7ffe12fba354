/** Rules look back no further for what announces a value. */
export const MAX_BEFORE_VALUE = 512;
/** The rest of a key, a word, a number. */
const VALUES = ['Xk29vQ7zRt4pLm8w', 'qvzbnmtrew', '48271605'];
/** Of the words by which a wallet is restored there are twelve at least. */
const WORDS = [' velvet', '", "velvet', ', "velvet"', ' "velvet",']
  .map((word) => word.repeat(11))
  .flatMap((words) => [words, `vel${words}`]);
/** Of a key that is written as a row of numbers. */
const NUMBERS = ['', '7'].map((first) => first + ', 7'.repeat(8));
/** The rest of an address of a machine, or of mail. */
const ADDRESSES = ['1', '11', '.example.com', 'example.com'];
/** Of a URL in whose password the text ends. */
const HOST = '@h.example/';
const OPEN_PASSWORD = /:\/\/[^\s/@:]{0,128}:[^\s/]{0,256}$/;
const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };
/** Quotes and brackets further back have nothing to do with the value. */
const MAX_OPEN = 256;

/**
 * Ways in which a text may go on that ends in the middle of a value, one for each way in which rules know one. Some want
 * the quote or the bracket closed, and behind a bracket what tells a password from a call.
 */
export function continuationsOf(text: string): readonly string[] {
  const closing = closingOf(text.slice(-MAX_OPEN));
  const closed = [...VALUES, `t8Yb${closing.charAt(0)}nQ;z6&Wd`].map((value) => value + closing);
  return [
    ...VALUES,
    ...(closing === '' ? [] : closed),
    ...WORDS,
    ...NUMBERS,
    ...ADDRESSES,
    ...(OPEN_PASSWORD.test(text) ? [HOST] : []),
  ];
}

/** What closes the quotes and brackets that are open at the end. */
function closingOf(text: string): string {
  const open: string[] = [];
  for (let at = 0; at < text.length; at++) {
    const sign = text.charAt(at);
    if (sign === open.at(-1)) open.pop();
    else if (CLOSING[sign] !== undefined) open.push(CLOSING[sign]);
    // An apostrophe stands within a word.
    else if (/["'`]/.test(sign) && !/\w/.test(text.charAt(at - 1))) open.push(sign);
  }
  return open.toReversed().join('');
}
