import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { ExplanationGraph, ExplanationNode } from '../../src/model/node.ts';
import type { NodeDetail } from '../../src/model/reader-messages.ts';
import type { WhyAnswer } from '../../src/model/why.ts';
import { RealService, temporaryFolder } from './real-service.ts';
import { until } from '../support/until.ts';

const STORY = fileURLToPath(new URL('../../examples/coder-critic/main.js', import.meta.url));
const TASK = 'the-story';

for (const protocol of ['http/protobuf', 'grpc'] as const) {
  describe(`the story of coder and critic over ${protocol}`, () => {
    let service: RealService;
    let graph: ExplanationGraph;
    let folder: string;

    before(async () => {
      folder = await temporaryFolder();
      service = await RealService.start({
        dataDir: folder,
        flags: ['--durability', 'memory'],
      });
      await tell(protocol === 'grpc' ? `http://${service.otlpGrpc}` : service.otlpHttp, protocol);
      await until('the story is told', async () => {
        graph = await get<ExplanationGraph>(`/api/graph?collapse=none&taskIds=${TASK}`);
        const names = new Set(graph.nodes.map(({ name }) => name));
        // Its steps are there before they end, and log records come on a way of their own.
        return (
          graph.nodes.every(({ state }) => state === 'ENDED') &&
          ['workflow.create_readme', 'critic.tests', 'CodeFixApplied'].every((name) => names.has(name))
        );
      });
    });
    after(async () => {
      await service.stop();
      await rm(folder, { recursive: true });
    });

    async function get<T>(path: string): Promise<T> {
      return (await (await fetch(service.readers + path)).json()) as T;
    }

    const named = (name: string): ExplanationNode[] => graph.nodes.filter((node) => node.name === name);
    const edgesInto = ({ id }: ExplanationNode): string[] =>
      graph.edges
        .filter(({ to }) => to === id)
        .map(({ from, relation }) => `${relation} ${graph.nodes.find((node) => node.id === from)?.name}`)
        .sort();

    function one(name: string): ExplanationNode {
      const [node, ...others] = named(name);
      assert.ok(node, name);
      assert.deepEqual(others, []);
      return node;
    }

    function checks(): readonly [ExplanationNode, ExplanationNode, ExplanationNode] {
      const [first, second, third, ...others] = named('critic.analysis').sort((a, b) =>
        a.timestamp < b.timestamp ? -1 : 1,
      );
      assert.ok(first && second && third);
      assert.deepEqual(others, []);
      return [first, second, third];
    }

    /** The call whose output a check looked at. */
    function callOf(check: ExplanationNode): ExplanationNode {
      const call = graph.nodes.find(({ id }) => id === `req:${String(check.details?.['requestId'])}`);
      assert.ok(call);
      return call;
    }

    test('[E2E19] every agent is there with its steps, and each call is one node with its model and cost', () => {
      const agents = [...new Set(graph.nodes.map(({ agent }) => agent))].sort();
      assert.deepEqual(agents, [
        'CoderAgent',
        'CriticAgent',
        'ModelAdapter',
        'ReasoningAgent',
        'ReflexionAdapter',
        'Workflow',
      ]);
      const calls = graph.nodes.filter(({ type }) => type === 'LLM_CALL');
      assert.deepEqual(calls.map(({ model }) => model).sort(), [
        'llama-70b',
        ...Array<string>(5).fill('tabby-7b'),
      ]);
      for (const call of calls) {
        assert.ok((call.costUsd ?? 0) > 0);
        assert.ok((call.tokensIn ?? 0) > 0);
        assert.equal(call.details?.['correlation'], 'matched');
      }
      assert.equal(
        edgesInto(one('reasoning.vote')).filter((edge) => edge === 'NEXT_STEP chat tabby-7b').length,
        3,
      );
    });

    test('[E2E19] the fix hangs by the failed check and by the call that caused it', () => {
      const [, second] = checks();
      const fix = one('CodeFixApplied');
      assert.equal(fix.type, 'REFLEXION_ACTION');
      const causes = graph.edges.filter(({ to }) => to === fix.id);
      assert.deepEqual(
        causes.map(({ from, relation, evidence }) => [from, relation, evidence]).sort(),
        [
          [callOf(second).id, 'TRIGGERED', 'event'],
          [second.id, 'TRIGGERED', 'event'],
        ].sort(),
      );
    });

    test('[E2E19] retry and switch hang by the check that failed, and lead to the next attempt', () => {
      const [first, second, third] = checks();
      assert.deepEqual([first.status, second.status, third.status], ['ERROR', 'ERROR', 'OK']);
      assert.deepEqual(edgesInto(one('TaskRetryInitiated')), [
        'TRIGGERED chat tabby-7b',
        'TRIGGERED critic.analysis',
      ]);
      assert.deepEqual(edgesInto(one('ModelSwitched')), ['REFLECTED critic.analysis']);
      const attempts = new Set(named('coder.generate').flatMap(edgesInto));
      for (const cause of ['reasoning.vote', 'TaskRetryInitiated', 'ModelSwitched']) {
        assert.ok(attempts.has(`NEXT_STEP ${cause}`), cause);
      }
      assert.deepEqual(edgesInto(third), [
        'NEXT_STEP CodeFixApplied',
        'NEXT_STEP workflow.create_readme',
        'TRIGGERED chat llama-70b',
      ]);
    });

    test('[E2E19] why on the failure names the failed check and the calls that caused it', async () => {
      const [first, second] = checks();
      const answer = await get<WhyAnswer>(`/api/why?nodeId=${encodeURIComponent(second.id)}`);
      assert.deepEqual(answer.outcome.failedNodes, [second.id]);
      const reasonsOf = ({ id }: ExplanationNode) =>
        answer.candidates.find(({ nodeId }) => nodeId === id)?.reasons ?? [];
      const rulesOf = (node: ExplanationNode): string[] => reasonsOf(node).map(({ rule }) => rule);
      assert.deepEqual(rulesOf(first), ['failedAction', 'repeatedAttempt']);
      assert.ok(rulesOf(callOf(first)).includes('nearestCall'));
      assert.ok(rulesOf(callOf(second)).includes('nearestCall'));
      const path = reasonsOf(callOf(first))[0]?.evidence.path.map(
        (id) => graph.nodes.find((n) => n.id === id)?.name,
      );
      assert.deepEqual(path, [
        'chat tabby-7b',
        'TaskRetryInitiated',
        'coder.generate',
        'chat tabby-7b',
        'critic.analysis',
      ]);
    });

    test('[E2E19] the thoughts are whole, and the token in them is not to be seen anywhere', async () => {
      const [first] = checks();
      const { texts } = await get<NodeDetail>(`/api/nodes/${encodeURIComponent(callOf(first).id)}`);
      assert.match(texts?.reasoning ?? '', /^The usage needs a token .* A reader can paste it as it is\.$/s);
      const everything = JSON.stringify([texts, graph]);
      assert.doesNotMatch(everything, /sk-proj|dana@/);
      assert.match(texts?.completion ?? '', /GREETER_TOKEN=\[/);
    });

    test('[E2E19] what failed and what was made of it is never folded away', async () => {
      const folded = await get<ExplanationGraph>(`/api/graph?taskIds=${TASK}`);
      const shown = new Set(folded.nodes.map(({ name }) => name));
      for (const name of ['TaskRetryInitiated', 'ModelSwitched', 'CodeFixApplied'])
        assert.ok(shown.has(name));
      assert.equal(folded.nodes.filter(({ status }) => status === 'ERROR').length, 2);
    });
  });
}

async function tell(endpoint: string, protocol: string): Promise<void> {
  const story = spawn(process.execPath, [STORY], {
    env: {
      ...process.env,
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
      CODER_CRITIC_PACE_MS: '1',
      CODER_CRITIC_TASK_ID: TASK,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = await once(story, 'exit');
  assert.equal(code, 0);
}
