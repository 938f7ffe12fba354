import type { MarkerOriginals, OverrideFacts } from '../model/facts.ts';
import type { ExplanationNode } from '../model/node.ts';
import { oneLine } from '../model/one-line.ts';
import type { OverrideSeals } from '../redaction/vault/override-seals.ts';
import { overrideKey } from '../storage/record-key.ts';
import type { KeptOverride, SqliteStore } from '../storage/sqlite/sqlite-store.ts';

/** As earlier versions kept them. */
type ClearFacts = OverrideFacts & { readonly originals?: MarkerOriginals };

const CUT = '…';

/**
 * Seals the overrides that earlier versions kept in the clear, and hides them in nodes that left memory; without a vault
 * they are taken back. Forgets the keys of overrides that the store no longer has.
 * @returns whether there were any
 */
export async function sealClearOverrides(
  store: SqliteStore | undefined,
  seals: OverrideSeals | undefined,
): Promise<boolean> {
  if (!store) return false;
  const kept = await store.overrides();
  await seals?.retain(new Set(kept.map(({ facts }) => overrideKey(facts.nodeId))));
  const clear = kept.filter(({ facts }) => 'originals' in facts);
  if (clear.length === 0) return false;
  for (const override of clear) await sealOne(override, store, seals);
  // What was replaced still stands in the write-ahead log, which is emptied after something was erased.
  await store.erase({ tasks: [], sources: [] });
  await store.sweep();
  return true;
}

async function sealOne(
  { facts, task }: KeptOverride,
  store: SqliteStore,
  seals: OverrideSeals | undefined,
): Promise<void> {
  const { nodeId, originals = {} }: ClearFacts = facts;
  const source = overrideKey(nodeId);
  const isEmpty = Object.keys(originals).length === 0;
  const sealed = isEmpty ? undefined : await seals?.seal(source, originals);
  const override: OverrideFacts = { kind: 'override', nodeId, ...(sealed !== undefined && { sealed }) };
  await store.append([{ facts: override }]);
  if (task === undefined) return;
  for await (const page of store.archivedTask(task)) {
    const shown = page.filter(({ node }) => node.id === nodeId || node.details?.['partOf'] === nodeId);
    const hidden = shown.map((left) => ({
      ...left,
      node: hide(left.node, originals),
      ...(sealed !== undefined && { override }),
    }));
    await store.archive(task, hidden);
  }
}

/** The fields in which overrides show originals. */
function hide(node: ExplanationNode, originals: MarkerOriginals): ExplanationNode {
  const { redactionOverridden, ...details } = node.details ?? {};
  if (redactionOverridden === undefined) return node;
  // One may be a part of another.
  const pairs = Object.entries(originals).toSorted(([, one], [, other]) => other.length - one.length);
  const { name, title, promptSummary } = node;
  return {
    ...node,
    name: hideIn(name, pairs),
    title: hideIn(title, pairs),
    ...(promptSummary !== undefined && { promptSummary: hideIn(promptSummary, pairs) }),
    details: hideAll(details, pairs) as typeof details,
  };
}

type Pairs = readonly (readonly [marker: string, original: string])[];

function hideAll(value: unknown, pairs: Pairs): unknown {
  if (typeof value === 'string') return hideIn(value, pairs);
  if (Array.isArray(value)) return value.map((item) => hideAll(item, pairs));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [hideIn(key, pairs), hideAll(item, pairs)]),
  );
}

/** Also where it stands in JSON or on one line, and where a title was cut in the middle of it. */
function hideIn(text: string, pairs: Pairs): string {
  let hidden = text;
  for (const [marker, original] of pairs) {
    const inJson = JSON.stringify(original).slice(1, -1);
    for (const form of [original, inJson, oneLine(original)])
      if (form !== '') hidden = hidden.replaceAll(form, () => marker);
    for (let length = original.length - 1; length > 0 && hidden.endsWith(CUT); length--) {
      const begun = original.slice(0, length) + CUT;
      if (!hidden.endsWith(begun)) continue;
      hidden = hidden.slice(0, -begun.length) + marker + CUT;
      break;
    }
  }
  return hidden;
}
