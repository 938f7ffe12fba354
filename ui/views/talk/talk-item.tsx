import { memo, useEffect, useState } from 'react';
import type { ExplanationNode } from '../../../src/client/browser.ts';
import { clip } from '../../../src/model/one-line.ts';
import { isContainer } from '../../layout/graph-reading.ts';
import { useNodeDetail } from '../../connection/queries.ts';
import { duration, figuresLine, money, plural, tokens, typeWords } from '../../state/format.ts';
import { shownStatus, wordsOf } from '../../state/node-words.ts';
import { useTask } from '../../state/task-context.ts';
import { useNode } from '../../state/use-graph.ts';
import { MarkedText } from '../../widgets/marked-text.tsx';
import { Status } from '../../widgets/status.tsx';
import { TypeMark } from '../../widgets/type-mark.tsx';
import { TEXT_NAMES, textsOf } from '../panel/texts.ts';

/** What is scrolled past sooner is not asked for. */
const ASK_AFTER_MS = 120;
/** Longer texts are opened by who wants to read them. */
const SHORT_CHARS = 700;

/** One thing that was said or done. */
export const TalkItem = memo(function TalkItem({ id }: { readonly id: string }) {
  const { store, select, selected, highlight, toggleSummary } = useTask();
  const node = useNode(store, id);
  const [isAsked, ask] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => ask(true), ASK_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  const { data } = useNodeDetail(isAsked ? id : undefined, node);
  if (!node) return null;
  const detail = data?.node.id === id ? data : undefined;
  const texts = detail ? textsOf(detail) : [];
  const { what, failure } = wordsOf(node);
  const status = shownStatus(node);
  const label = labelOf(node);
  const isDimmed = highlight !== undefined && !highlight.nodes.has(id);
  // A thought that is a step of its own has been read already.
  const isThoughtApart = store.effectsOf(id).some(({ to }) => store.nodes.get(to)?.type === 'REASONING');
  const isQuestion = node.type === 'USER_QUERY' || isContainer(node, store);
  const said = texts.filter(([name]) =>
    isQuestion
      ? name === 'prompt' || name === 'error'
      : name !== 'prompt' && !(name === 'reasoning' && isThoughtApart),
  );
  const prompt = isQuestion ? undefined : texts.find(([name]) => name === 'prompt')?.[1];
  return (
    <article
      className={`talk-item of-${node.type.toLowerCase()} ${status} ${isDimmed ? 'dimmed' : ''}`}
      data-testid="conversation-item"
      data-node-id={id}
      data-type={node.type}
      data-status={node.status}
      aria-current={id === selected}
      aria-label={`${node.agent}, ${typeWords(node.type)}`}
    >
      <button type="button" className="talk-head" onClick={() => select(id)}>
        <TypeMark type={node.type} withWord />
        <strong dir="auto">{node.agent}</strong>
        {node.type === 'TOOL_CALL' && said.length > 0 && (
          <span className="talk-tool" dir="auto">
            {what}
          </span>
        )}
        {label !== undefined && <span className="muted">{label}</span>}
        {status !== 'ok' && <Status status={status} withWord />}
        <span className="muted">
          {figuresLine(
            node.model,
            duration(node.latencyMs),
            tokens(node.summary ?? node),
            money(node.costUsd),
          )}
        </span>
      </button>
      {said.length === 0 && <MarkedText text={what} className="talk-said" />}
      {said.map(([name, text]) => (
        <SaidText
          key={name}
          name={name}
          text={text}
          isNamed={said.length > 1 || node.type === 'TOOL_CALL'}
          message={name === 'error' ? failure : undefined}
        />
      ))}
      {failure !== undefined && !said.some(([name]) => name === 'error') && (
        <MarkedText text={failure} className="failure" />
      )}
      {prompt !== undefined && (
        <details>
          <summary className="muted">What it was asked ({plural(prompt.length, 'character')})</summary>
          <MarkedText text={prompt} className="talk-said" />
        </details>
      )}
      {node.type === 'SUMMARY' && (
        <button type="button" className="button small" onClick={() => toggleSummary(id)}>
          Open {plural(node.summary?.count ?? 0, 'step')}
        </button>
      )}
    </article>
  );
});

interface SaidTextProps {
  readonly name: string;
  readonly text: string;
  readonly isNamed: boolean;
  /** What it comes to. In a trace of Python it stands last: it is told first where it is not to be seen. */
  readonly message: string | undefined;
}

function SaidText({ name, text, isNamed, message }: SaidTextProps) {
  const [isWhole, showWhole] = useState(text.length <= SHORT_CHARS);
  const isCode = name === 'toolArguments' || name === 'toolResult';
  const shown = isWhole ? text : clip(text, SHORT_CHARS);
  return (
    <div className={`said-${name}`}>
      {isNamed && <span className="said-name muted">{TEXT_NAMES[name] ?? name}</span>}
      {message !== undefined && !shown.includes(message) && (
        <MarkedText text={message} className="talk-said failure" />
      )}
      <MarkedText
        text={shown}
        className={`talk-said ${isCode ? 'code' : ''} ${name === 'error' ? 'failure' : ''}`}
      />
      {!isWhole && (
        <button type="button" className="button small" onClick={() => showWhole(true)}>
          Show all {text.length.toLocaleString('en')} characters
        </button>
      )}
    </div>
  );
}

/** What the sender calls a step of ThoughtFlow, where its type does not say that: `policy.snapshot`, `context.preamble`, … */
function labelOf({ type, details }: ExplanationNode): string | undefined {
  const label: unknown = details?.['flowLabel'];
  return type === 'OTHER' && typeof label === 'string' ? label : undefined;
}
