import { useMemo, useState } from 'react';
import { Link } from 'wouter';
import type {
  CompareAnswer,
  ComparedField,
  ComparedStep,
  ExplanationNode,
} from '../../../src/client/browser.ts';
import { COMPARED_FIGURES, COMPARED_TEXTS, isDivergence } from '../../../src/model/compare.ts';
import { comparedValue, fieldWords } from '../../../src/model/compared-value.ts';
import { figuresLine, duration, money, tokens } from '../../state/format.ts';
import { shownStatus, titleOf } from '../../state/node-words.ts';
import { taskPath } from '../../state/url.ts';
import { Status } from '../../widgets/status.tsx';
import { TypeMark } from '../../widgets/type-mark.tsx';
import { ComparedTexts } from './compared-texts.tsx';

interface PlacedStep {
  readonly step: ComparedStep;
  /** Among all steps of the answer. */
  readonly place: number;
}

/** A row for each step, `a` on the left and `b` on the right; what differs stands below. */
export function ComparedRows({
  answer,
  rows,
}: {
  readonly answer: CompareAnswer;
  readonly rows: readonly PlacedStep[];
}) {
  const nodes = useMemo(() => new Map(answer.nodes.map((node) => [node.id, node])), [answer]);
  return (
    <ol className="compared" aria-label="Steps side by side">
      {rows.map(({ step, place }) => (
        <ComparedRow
          key={`${step.a ?? ''} ${step.b ?? ''}`}
          place={place}
          step={step}
          a={nodes.get(step.a ?? '')}
          b={nodes.get(step.b ?? '')}
        />
      ))}
    </ol>
  );
}

interface ComparedRowProps {
  readonly place: number;
  readonly step: ComparedStep;
  readonly a: ExplanationNode | undefined;
  readonly b: ExplanationNode | undefined;
}

function ComparedRow({ place, step, a, b }: ComparedRowProps) {
  const { depth, differs } = step;
  const isAlone = a === undefined || b === undefined;
  const kind = isAlone || differs.some(isDivergence) ? 'diverges' : differs.length > 0 ? 'differs' : 'same';
  const indent = { paddingInlineStart: `${Math.min(depth, MAX_DEPTH) * 0.9}rem` };
  return (
    <li className={`compared-row ${kind}`} data-place={place} data-kind={kind} tabIndex={-1}>
      <div className="side-a" style={indent}>
        {a ? <Side node={a} step={step} side="a" /> : <Nothing side="a" />}
      </div>
      <div className="side-b" style={indent}>
        {b ? <Side node={b} step={step} side="b" /> : <Nothing side="b" />}
      </div>
      {a && b && <Differences step={step} a={a} b={b} />}
    </li>
  );
}

/** Deeper steps are moved no further to the right. */
const MAX_DEPTH = 8;

function Side({
  node,
  step,
  side,
}: {
  readonly node: ExplanationNode;
  readonly step: ComparedStep;
  readonly side: 'a' | 'b';
}) {
  const isAlone = step.a === undefined || step.b === undefined;
  const { latencyMs, costUsd } = node;
  const figures: readonly (readonly [fields: readonly ComparedField[], figure: string])[] = [
    [['latencyMs'], duration(latencyMs)],
    [['tokensIn', 'tokensOut'], tokens(node)],
    [['costUsd'], money(costUsd)],
  ];
  return (
    <>
      <span className="compared-title">
        <Status status={shownStatus(node)} />
        <TypeMark type={node.type} />
        <Link href={taskPath(node.taskId, { sel: node.id })} className="node-link">
          <span dir="auto">{titleOf(node)}</span>
        </Link>
        {isAlone && <span className="badge only">only in {side}</span>}
      </span>
      <span className="compared-figures muted small-text">
        <span>{figuresLine(node.agent, node.model)}</span>
        {figures.map(
          ([fields, figure]) =>
            figure !== '' && (
              <span
                key={fields[0]}
                className={fields.some((field) => step.differs.includes(field)) ? 'changed' : ''}
              >
                {figure}
              </span>
            ),
        )}
      </span>
    </>
  );
}

function Nothing({ side }: { readonly side: 'a' | 'b' }) {
  return <span className="sr-only">not in {side}</span>;
}

function Differences({
  step: { differs },
  a,
  b,
}: {
  readonly step: ComparedStep;
  readonly a: ExplanationNode;
  readonly b: ExplanationNode;
}) {
  const [isOpen, open] = useState(false);
  const texts = COMPARED_TEXTS.filter((field) => differs.includes(field));
  // Other figures are marked where they stand.
  const words = differs.filter((field) => !COMPARED_FIGURES.some((figure) => figure === field));
  if (words.length === 0) return null;
  return (
    <div className="differences">
      {words.map((field) => {
        const [before, after] = [comparedValue(field, a), comparedValue(field, b)];
        return (
          <span
            key={field}
            className={`difference ${isDivergence(field) ? 'telling' : ''}`}
            data-field={field}
          >
            {fieldWords(field)}
            {before !== undefined && (
              <>
                {' '}
                <del dir="auto">{before}</del> <ins dir="auto">{after}</ins>
              </>
            )}
          </span>
        );
      })}
      {texts.length > 0 && (
        <button type="button" className="button small" aria-expanded={isOpen} onClick={() => open(!isOpen)}>
          {isOpen ? 'Hide texts' : 'Show texts'}
        </button>
      )}
      {isOpen && <ComparedTexts fields={texts} a={a.id} b={b.id} />}
    </div>
  );
}
