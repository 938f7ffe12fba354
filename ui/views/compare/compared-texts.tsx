import type { ComparedField } from '../../../src/client/browser.ts';
import type { StepTexts } from '../../../src/model/facts.ts';
import { useNodeDetail } from '../../connection/queries.ts';
import { MarkedText } from '../../widgets/marked-text.tsx';
import { TEXT_NAMES } from '../panel/texts.ts';
import { partsOf } from './text-parts.ts';

interface ComparedTextsProps {
  readonly fields: readonly ComparedField[];
  /** Node ids. */
  readonly a: string;
  readonly b: string;
}

/** The texts that differ, side by side; the part in which they do is marked. */
export function ComparedTexts({ fields, a, b }: ComparedTextsProps) {
  const inA = useNodeDetail(a, 0);
  const inB = useNodeDetail(b, 0);
  const problem = inA.error ?? inB.error;
  if (problem) return <p role="alert">{problem.message}</p>;
  if (!inA.data || !inB.data) return <p className="late muted">Loading texts …</p>;
  const [textsA, textsB]: readonly StepTexts[] = [inA.data.texts ?? {}, inB.data.texts ?? {}];
  return (
    <div className="compared-texts">
      {fields.map((field) => {
        const [left = '', right = ''] = [textsA, textsB].map((texts) => texts?.[field as keyof StepTexts]);
        const parts = partsOf(left, right);
        return (
          <section key={field} aria-label={TEXT_NAMES[field] ?? field}>
            <h3>{TEXT_NAMES[field] ?? field}</h3>
            <div className="side-a">
              <Parts {...parts} changed={parts.inA} />
            </div>
            <div className="side-b">
              <Parts {...parts} changed={parts.inB} />
            </div>
          </section>
        );
      })}
    </div>
  );
}

function Parts({
  before,
  changed,
  after,
}: {
  readonly before: string;
  readonly changed: string;
  readonly after: string;
}) {
  return (
    <>
      {before !== '' && <MarkedText text={before} className="common" />}
      <mark>{changed === '' ? <span className="muted">nothing</span> : <MarkedText text={changed} />}</mark>
      {after !== '' && <MarkedText text={after} className="common" />}
    </>
  );
}
