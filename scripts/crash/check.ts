import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExplanationGraph } from '../../src/model/node.ts';
import { MemoryArchiveIndex } from '../../src/storage/index/memory-archive-index.ts';
import { folderFiles } from '../../src/storage/log/files.ts';
import { LogCore } from '../../src/storage/log/log-core.ts';

/** Every acknowledged span stands in the log as the crash left it, and counts once. */
export function checkLog(dataDir: string, acknowledged: ReadonlySet<string>): void {
  const copy = mkdtempSync(join(tmpdir(), 'crash-log-'));
  try {
    cpSync(join(dataDir, 'log'), copy, { recursive: true });
    const core = new LogCore({
      files: folderFiles(copy),
      openIndex: () => new MemoryArchiveIndex(),
      segmentBytes: 1e9,
      maxBytes: Infinity,
      retentionMs: Infinity,
      withoutTexts: false,
      say: (level, fields, message) =>
        assert.notEqual(level, 'error', `${message} ${JSON.stringify(fields)}`),
      onDropped: () => assert.fail('nothing may be dropped'),
    });
    const sources: string[] = [];
    for (const { source } of core.records()) sources.push(source);
    checkOnce('the log', sources, acknowledged);
    core.close();
  } finally {
    rmSync(copy, { recursive: true });
  }
}

/** Every acknowledged span is a node of the graph that readers get, once. */
export async function checkApi(readers: string, acknowledged: ReadonlySet<string>): Promise<void> {
  const answer = await fetch(`http://${readers}/api/graph?collapse=none`);
  assert.equal(answer.status, 200);
  const { nodes, edges } = (await answer.json()) as ExplanationGraph;
  const ids = new Set(nodes.map(({ id }) => id));
  assert.equal(ids.size, nodes.length, 'no node twice');
  for (const { from, to } of edges) assert.ok(ids.has(from) && ids.has(to), 'no edge without its nodes');
  const spans = nodes.flatMap(({ id, details }) => {
    const folded = details?.['spanIds'];
    const trace = String(details?.['traceId']);
    return Array.isArray(folded) ? folded.map((span) => `${trace}:${String(span)}`) : [id];
  });
  checkOnce('the API', spans, acknowledged);
}

function checkOnce(where: string, found: readonly string[], acknowledged: ReadonlySet<string>): void {
  const once = new Set<string>();
  const twice = found.filter((key) => once.size === once.add(key).size);
  assert.deepEqual(twice.slice(0, 3), [], `spans that ${where} has twice`);
  const missing = [...acknowledged].filter((key) => !once.has(key));
  assert.deepEqual(
    missing.slice(0, 3),
    [],
    `${missing.length} of ${acknowledged.size} acknowledged spans are not in ${where}`,
  );
}
