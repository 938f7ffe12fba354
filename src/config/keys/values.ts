import { z } from 'zod';

export const KIB = 1024;
export const MIB = 1024 * KIB;
export const GIB = 1024 * MIB;

/** Most minutes that a time may have: a year. */
export const MINUTES_PER_YEAR = 525_600;

/** What fits into an HTTP header: no blanks, no control characters. */
export const HEADER_SAFE = /^[\x21-\x7e]+$/;

/** A list of short strings: names, hosts, patterns. Its bounds keep a wrong file from costing memory. */
export const list = (maxLength: number) => z.array(z.string().min(1).max(maxLength)).max(1000);

/** Of settings that a project may have for itself: agents of AG-UI, visibility, days of retention. */
export const agUiAgents = z
  .array(
    z
      .string()
      .max(2048)
      .regex(
        /^https?:\/\/[^\s/?#@]+(?:\/[^\s#]*)?$/,
        'must be an address with http or https, such as "http://127.0.0.1:8000/agent"',
      ),
  )
  .max(100);
export const visibility = z
  .record(z.string().min(1).max(256), z.enum(['full', 'summary', 'hidden']))
  .refine((rules) => Object.keys(rules).length <= 1000, 'at most 1000 agents');
export const retentionDays = z.number().gt(0).max(36_500);
