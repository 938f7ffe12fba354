import { z } from 'zod';
import { GIB, HEADER_SAFE, KIB, list, MIB, visibility } from './values.ts';

/** What is redacted, withheld and kept sealed, and what phrases summaries. */
export const privacyKeys = {
  redactPII: z
    .boolean()
    .default(true)
    .describe('Redact every string on entry. Turning it off needs "allowUnredacted" as well.'),
  allowUnredacted: z
    .boolean()
    .default(false)
    .describe('Confirms that "redactPII": false is meant: private data is then stored and shown as it came.'),
  redactionPatterns: list(2000)
    .default([
      '[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\\.[a-zA-Z]{2,}',
      'api_key\\s*=\\s*[\'\\"][A-Za-z0-9_-]{20,}[\'\\"]',
    ])
    .describe(
      'Regular expressions, in JavaScript syntax without look-around and back-references, of text to redact. Where one needs more than 32 passes over a text, because each match looks on for an end, the rest of the text is hidden.',
    ),
  disabledRules: list(255).default([]).describe('Names of built-in redaction rules that are not applied.'),
  safeKeys: list(255)
    .default([])
    .describe('Attribute keys whose values hold no private data and are kept as they are.'),
  sensitiveKeys: list(255).default([]).describe('Attribute keys whose values are always withheld.'),
  names: z
    .enum(['context', 'dictionary', 'off'])
    .default('context')
    .describe(
      '"context": hide names and addresses of people where the text itself announces them ("Dear …", "From: …"); costs next to nothing and misses most names. "dictionary": hide also what a list of 4,000 names knows, wherever it stands: three names in four; costs 40 MB of memory and a third of the speed of redaction, and hides some words that are none. "off": neither.',
    ),
  knownNames: list(200)
    .default([])
    .describe('Names of people that are always hidden, as whole words, whatever their case.'),
  visibility: visibility
    .default({})
    .describe(
      'How much of what each agent thinks readers and exports see: {"PlannerAgent": "summary", "*": "hidden"}. "full": all; "summary": one line of each thought; "hidden": nothing. "*" is for all agents that are not named. It is kept whole on the disk, but for "zeroDataRetention".',
    ),
  maxCodeSnippetChars: z
    .int()
    .min(0)
    .max(10_000_000)
    .default(2000)
    .describe('Code blocks longer than this many characters are cut.'),
  summaryUrl: z
    .string()
    .max(2048)
    .regex(/^https?:\/\/[^\s/?#@]+(?:\/[^\s?#]*)?$/)
    .optional()
    .describe(
      'An API like OpenAI\'s that phrases summaries, up to "/v1". It receives the redacted sentences of the rules and nothing else; its words are marked, and where it fails those of the rules stay. Absent: nothing leaves the service.',
    ),
  summaryModel: z.string().min(1).max(256).optional().describe('The model that "summaryUrl" is asked for.'),
  summaryApiKey: z
    .string()
    .min(1)
    .max(4096)
    .regex(HEADER_SAFE)
    .optional()
    .describe('Bearer token for "summaryUrl", best given by the environment.'),
  vaultKey: z
    .string()
    .regex(/^(?:[0-9a-fA-F]{64}|[A-Za-z0-9+/]{43}=)$/)
    .optional()
    .describe(
      'Key of the vault: 32 bytes as 64 hex digits or in base64, best given by the environment. With it the originals of redacted values are kept encrypted, for administrators ("auth.adminToken") to reveal.',
    ),
  vaultKeyFile: z
    .string()
    .min(1)
    .max(4096)
    .optional()
    .describe('File that holds the key of the vault, instead of "vaultKey". "~" is the home folder.'),
  vaultSecrets: z
    .boolean()
    .default(false)
    .describe(
      'Keep the originals of credentials and keys in the vault as well, not only those of personal data.',
    ),
  maxVaultBytes: z
    .int()
    .min(64 * KIB)
    .max(16 * GIB)
    .default(256 * MIB)
    .describe(
      'Most bytes of the vault on disk, besides those of the stored graph: the originals of the oldest tasks are erased first.',
    ),
  zeroDataRetention: z
    .boolean()
    .default(false)
    .describe(
      'Keep no text: of thoughts, prompts, completions, tools and attributes only figures, ids, names and the summaries that senders wrote stay.',
    ),
};
