import { Tabs } from 'radix-ui';
import { useState } from 'react';
import { waitsForApproval } from '../../../src/client/browser.ts';
import type { NodeDetail } from '../../../src/client/browser.ts';
import { useNodeDetail } from '../../connection/queries.ts';
import { useMay } from '../../connection/session.ts';
import { shownStatus, wordsOf } from '../../state/node-words.ts';
import { useTask } from '../../state/task-context.ts';
import { useNode } from '../../state/use-graph.ts';
import { CopyButton } from '../../widgets/copy-button.tsx';
import { MarkedText } from '../../widgets/marked-text.tsx';
import { Status } from '../../widgets/status.tsx';
import { TypeMark } from '../../widgets/type-mark.tsx';
import { Annotations } from './annotations.tsx';
import { Approval } from './approval.tsx';
import { Interrupt } from './interrupt.tsx';
import { Figures } from './figures.tsx';
import { Links } from './links.tsx';
import { PromptParts } from './prompt-parts.tsx';
import { RawAttributes } from './raw-attributes.tsx';
import { TEXT_NAMES, textsOf } from './texts.ts';
import './panel.css';

interface NodePanelProps {
  readonly nodeId: string;
  readonly onWhy: (nodeId: string) => void;
}

/** All that is known of one node. */
export function NodePanel({ nodeId, onWhy }: NodePanelProps) {
  const { store, select, toggleSummary } = useTask();
  const live = useNode(store, nodeId);
  const [tab, setTab] = useState('summary');
  const { data, error } = useNodeDetail(nodeId, live);
  const node = live ?? (data?.node.id === nodeId ? data.node : undefined);
  const detail = data?.node.id === nodeId ? data : undefined;
  const words = node && wordsOf(node);
  const provenance = provenanceOf(detail);
  const mayInterrupt = useMay('interrupt');
  return (
    <section className="panel" data-testid="panel" data-node-id={nodeId} aria-label="Step">
      <header className="row">
        {node && <Status status={shownStatus(node)} withWord />}
        {node && <TypeMark type={node.type} withWord />}
        <span className="grow" />
        <button
          type="button"
          className="button icon"
          aria-label="Close the panel"
          onClick={() => select(undefined)}
        >
          ✕
        </button>
      </header>
      {!node && <p role="status">{error?.message ?? 'Loading …'}</p>}
      {node && (
        <>
          <h2 dir="auto">{words?.what}</h2>
          <p className="muted">
            {node.agent}
            {node.model !== undefined && ` · ${node.model}`} · {new Date(node.timestamp).toLocaleString()}
          </p>
          {words?.failure !== undefined && <MarkedText text={words.failure} className="failure" />}
          <div className="row wrap">
            <button type="button" className="button primary" onClick={() => onWhy(nodeId)}>
              Why?
            </button>
            {node.type === 'SUMMARY' && (
              <button type="button" className="button" onClick={() => toggleSummary(nodeId)}>
                Open {node.summary?.count} steps in place
              </button>
            )}
            <CopyButton label="Copy JSON" text={() => JSON.stringify(detail ?? { node }, null, 2)} />
            <CopyButton label="Copy link" text={() => location.href} />
          </div>
          {mayInterrupt && !waitsForApproval(node) && (
            <Interrupt
              key={nodeId}
              nodeId={nodeId}
              isRunning={node.state === 'RUNNING' && node.type !== 'SUMMARY'}
            />
          )}
          <Approval key={`approval ${nodeId}`} node={node} />
          <Annotations key={`said ${nodeId}`} node={node} />
          <Tabs.Root value={tab === 'prompt' && !provenance ? 'texts' : tab} onValueChange={setTab}>
            <Tabs.List className="tabs" aria-label="How much to show">
              <Tabs.Trigger value="summary" className="tab">
                Summary
              </Tabs.Trigger>
              <Tabs.Trigger value="texts" className="tab">
                Texts
              </Tabs.Trigger>
              {provenance && (
                <Tabs.Trigger value="prompt" className="tab">
                  Prompt
                </Tabs.Trigger>
              )}
              <Tabs.Trigger value="raw" className="tab">
                Raw
              </Tabs.Trigger>
            </Tabs.List>
            <Tabs.Content value="summary">
              {node.promptSummary !== undefined && <MarkedText text={node.promptSummary} />}
              <Figures node={node} />
              <Links nodeId={nodeId} />
            </Tabs.Content>
            <Tabs.Content value="texts">
              <Texts detail={detail} />
            </Tabs.Content>
            {provenance && (
              <Tabs.Content value="prompt">
                <PromptParts node={node} provenance={provenance} />
              </Tabs.Content>
            )}
            <Tabs.Content value="raw">
              <RawAttributes node={node} attributes={detail?.attributes} />
            </Tabs.Content>
          </Tabs.Root>
        </>
      )}
    </section>
  );
}

/** None where nothing is known of the parts. */
function provenanceOf(detail: NodeDetail | undefined): NodeDetail['promptProvenance'] {
  const { promptProvenance } = detail ?? {};
  return promptProvenance && (promptProvenance.parts.length > 0 || promptProvenance.finalPrompt !== undefined)
    ? promptProvenance
    : undefined;
}

function Texts({ detail }: { readonly detail: NodeDetail | undefined }) {
  if (!detail) return <p className="late muted">Loading …</p>;
  const texts = textsOf(detail);
  if (texts.length === 0)
    return <p className="muted">No texts were recorded with this step, or they left memory.</p>;
  return texts.map(([name, text]) => (
    <section key={name} className="text-block">
      <header className="row">
        <h3>{TEXT_NAMES[name] ?? name}</h3>
        <CopyButton label="Copy" text={text} />
      </header>
      <MarkedText text={text} />
    </section>
  ));
}
