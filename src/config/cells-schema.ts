import { z } from 'zod';
import { unknownKeys } from './unknown-keys.ts';

/** Each is asked all the time, and is a label of metrics. */
export const MAX_CELLS = 100;

/** `host:port`, the host as a name, IPv4 address, or IPv6 address in brackets. At most 253 + 6 characters. */
const ADDRESS = /^(?:[A-Za-z0-9_.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\]):(?<port>[0-9]{1,5})$/;

const cellFields = 'the keys of a cell are name, address, endpoint and drain';
const cellRule = `must be an address with its port, such as "cell-1:9000", or an object; ${cellFields}`;
const nameRule =
  'must be a name of 1 to 64 letters, digits, ".", "_" and "-", such as "cell-1": notices and metrics have it';

/** Whether it is `host:port` with a port from 1 on. */
export function isAddress(text: string): boolean {
  const port = Number(ADDRESS.exec(text)?.groups?.['port'] ?? 0);
  return port >= 1 && port <= 65_535;
}

function addressRule(example: string): string {
  return `must be an address with its port, such as "${example}"`;
}

/** @param example what would be right, such as `cell-1:9000` */
function address(example: string) {
  return z.string(addressRule(example)).refine(isAddress, addressRule(example));
}

const cellObject = z.strictObject(
  {
    name: z
      .string(nameRule)
      .regex(/^[A-Za-z0-9._-]{1,64}$/, nameRule)
      .optional(),
    address: address('cell-1:9000'),
    endpoint: address('cell-1:4317').optional(),
    drain: z.boolean('must be true for a cell that is to be taken out, which gets nothing new').optional(),
  },
  { error: (issue) => unknownKeys(issue, cellFields) ?? cellRule },
);

/** An address alone stands for an object with that address. What is wrong in an object is told with its place. */
const cell = z.union([address('cell-1:9000').transform((given) => ({ address: given })), cellObject], {
  error: ({ input, errors }) =>
    typeof input === 'object' && input !== null ? inWords((errors as readonly Issue[][])[1] ?? []) : cellRule,
});

type Issue = { readonly path: readonly PropertyKey[]; readonly message: string };

function inWords(issues: readonly Issue[]): string {
  return issues.map(({ path, message }) => [...path.map(String), message].join(' ')).join('; ');
}

const cellsRule = `must be a list of 1 to ${MAX_CELLS} cells, each an address such as "cell-1:9000" or {"name": …, "address": …, "endpoint": …} (name and endpoint may be left out)`;

/** A list of cells as it stands in the settings, and in the file that `gateway.file` names. */
export const cellsSchema = z
  .array(cell, cellsRule)
  .min(1, cellsRule)
  .max(MAX_CELLS, cellsRule)
  .superRefine((cells, problems) => {
    if (cells.length > 0 && cells.every((cell) => 'drain' in cell && cell.drain === true))
      problems.addIssue({
        code: 'custom',
        message: 'must have a cell without "drain": it gets what is sent',
      });
    const seen = new Set<string>();
    const once = (what: string, value: string | undefined, place: readonly (string | number)[]): void => {
      if (value === undefined) return;
      const key = `${what} ${value}`;
      if (seen.has(key))
        problems.addIssue({
          code: 'custom',
          path: [...place],
          message: `is the ${what} of another cell: each needs its own`,
        });
      seen.add(key);
    };
    for (const [index, cell] of cells.entries()) {
      const { name, address, endpoint }: z.output<typeof cellObject> = cell;
      once('address', address, [index]);
      once('name', name, [index, 'name']);
      once('endpoint', endpoint, [index, 'endpoint']);
    }
  });
