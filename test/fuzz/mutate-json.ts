import type { Draw } from './draw.ts';
import { hostileJson, hostileText } from './values.ts';

/** A list this long was made out of one item. */
const MANY = 3_000;

/** The value as it is most of the time, else with some of what is in it changed, missing, twice or in the wrong place. */
export function mutatedJson(draw: Draw, value: unknown): unknown {
  if (!draw.chance(0.4)) return value;
  let changed = value;
  for (let times = draw.between(1, 3); times > 0; times--) changed = once(draw, changed);
  return changed;
}

/** One change somewhere in it. */
function once(draw: Draw, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || draw.chance(0.05)) return hostileJson(draw);
  if (Array.isArray(value)) return inList(draw, value);
  const fields = Object.entries(value);
  if (fields.length === 0) return hostileJson(draw);
  const at = draw.int(fields.length);
  const [name, held] = fields[at] as [string, unknown];
  switch (draw.weighted({ inside: 6, gone: 2, renamed: 1, nulled: 1, more: 1 })) {
    case 'inside':
      fields[at] = [name, once(draw, held)];
      break;
    case 'gone':
      fields.splice(at, 1);
      break;
    case 'renamed':
      fields[at] = [hostileText(draw), held];
      break;
    case 'nulled':
      fields[at] = [name, null];
      break;
    case 'more':
      fields.push([hostileText(draw), hostileJson(draw)]);
  }
  return Object.fromEntries(fields);
}

function inList(draw: Draw, list: readonly unknown[]): readonly unknown[] {
  const copy = [...list];
  const at = draw.int(copy.length);
  const to = draw.int(copy.length);
  switch (draw.weighted({ inside: 6, gone: 1, twice: 1, moved: 2, more: 1, many: 0.02 })) {
    case 'inside':
      copy[at] = once(draw, copy[at]);
      break;
    case 'gone':
      copy.splice(at, 1);
      break;
    case 'twice':
      copy.splice(to, 0, copy[at]);
      break;
    case 'moved':
      copy.splice(to, 0, ...copy.splice(at, 1));
      break;
    case 'more':
      copy.push(hostileJson(draw));
      break;
    case 'many':
      copy.push(...draw.list(draw.int(MANY), () => copy[at]));
  }
  return copy;
}
