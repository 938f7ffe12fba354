/**
 * Two language models, faked: their answers are written down here, so that the story is the same every time.
 * The price is in US dollars for a token.
 *
 * @typedef {{ readonly thoughts: string, readonly answer: string }} Reply
 * @typedef {{ readonly name: string, readonly pricePerToken: number, readonly replies: Readonly<Record<string, Reply>> }} Model
 */

const README = (/** @type {string} */ usage) => `# greeter

Says hello to whoever asks.

## Usage

    ${usage}

## Licence

Apache-2.0
`;

/** Small, cheap, and fond of copying whatever it has seen. @type {Model} */
export const SMALL = {
  name: 'tabby-7b',
  pricePerToken: 0.0000002,
  replies: {
    'plan: tutorial': {
      thoughts: 'A tutorial needs screenshots and an hour of somebody. The task says one file.',
      answer: 'Plan A: a tutorial of three pages. Effort: high. Risk: out of date soon.',
    },
    'plan: short readme': {
      thoughts: 'Purpose, usage, licence: that is what a newcomer looks for first.',
      answer: 'Plan B: one README.md with purpose, usage and licence. Effort: low. Risk: low.',
    },
    'plan: generated api docs': {
      thoughts: 'Generated documentation needs doc comments, and the module has none.',
      answer: 'Plan C: API documentation, generated. Effort: middling. Risk: empty pages.',
    },
    'write README.md': {
      thoughts:
        'The usage needs a token to run at all. dana@example.com left hers in examples/.env, so I copy the line ' +
        'from there: GREETER_TOKEN=sk-proj-4fJq8Zt2Lw6Xb1Nc9Rv3Ky7M. A reader can paste it as it is.',
      answer: README('GREETER_TOKEN=sk-proj-4fJq8Zt2Lw6Xb1Nc9Rv3Ky7M npx greeter'),
    },
    'write README.md again: rule no-secrets': {
      thoughts:
        'The critic does not like the token. I make it shorter, then it is not the same token any more: ' +
        'sk-proj-4fJq8Zt2Lw6Xb1Nc9Rv3. That should do.',
      answer: README('GREETER_TOKEN=sk-proj-4fJq8Zt2Lw6Xb1Nc9Rv3 npx greeter'),
    },
  },
};

/** Large, dear, and careful. @type {Model} */
export const LARGE = {
  name: 'llama-70b',
  pricePerToken: 0.000009,
  replies: {
    'write README.md again: rule no-secrets': {
      thoughts:
        'Two attempts broke the rule no-secrets in the same place: both copied a token out of examples/.env into ' +
        'the text. The reader has to bring a token of their own, so the usage names the variable and no value.',
      answer: README('GREETER_TOKEN=<your token> npx greeter'),
    },
  },
};
