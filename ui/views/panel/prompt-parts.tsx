import type { ExplanationNode, NodeDetail } from '../../../src/client/browser.ts';
import { useTask } from '../../state/task-context.ts';
import { CopyButton } from '../../widgets/copy-button.tsx';
import { MarkedText } from '../../widgets/marked-text.tsx';
import { NodeLink } from '../why/node-link.tsx';

type Provenance = NonNullable<NodeDetail['promptProvenance']>;
type Part = Provenance['parts'][number];

interface PromptPartsProps {
  readonly node: ExplanationNode;
  readonly provenance: Provenance;
}

/** What a prompt was made of: each part with where it came from, the adaptations in it by name, and the whole. */
export function PromptParts({ node, provenance }: PromptPartsProps) {
  const { parts, finalPrompt, omitted = 0 } = provenance;
  const adaptations = adaptationsOf(node);
  return (
    <div data-testid="prompt">
      {adaptations.length > 0 && (
        <p>
          <span className="muted">Adapted by </span>
          {adaptations.map((name) => (
            <code key={name} className="adaptation">
              {name}
            </code>
          ))}
        </p>
      )}
      {omitted > 0 && (
        <p className="muted">
          {omitted} earlier {omitted === 1 ? 'part of the history is' : 'parts of the history are'} not shown.
        </p>
      )}
      {/* Their places are all that tells equal parts apart. */}
      {parts.map((part, place) => (
        <PromptPart key={place} part={part} />
      ))}
      {finalPrompt !== undefined && (
        <section className="text-block">
          <header className="row">
            <h3>The whole prompt</h3>
            <CopyButton label="Copy" text={finalPrompt} />
          </header>
          <MarkedText text={finalPrompt} />
        </section>
      )}
    </div>
  );
}

function PromptPart({ part }: { readonly part: Part }) {
  const { store } = useTask();
  const { type, source, value } = part;
  const { nodeId } = source;
  return (
    <section className="text-block" data-testid="prompt-part">
      <header className="row wrap">
        <h3>{type.replaceAll(/[._]/g, ' ')}</h3>
        <span className="muted small-text part-source">{placeOf(source)}</span>
        {nodeId !== undefined && <NodeLink id={nodeId} node={store.nodes.get(nodeId)} />}
      </header>
      <MarkedText text={value} />
    </section>
  );
}

/** Where it stands in what was sent: an attribute or an event, and the place there as people count. */
function placeOf({ attribute, event, index, role }: Part['source']): string {
  const place = attribute ?? (event === undefined ? undefined : `event ${event}`);
  const words = [
    role === undefined ? undefined : `as ${role}`,
    place === undefined ? undefined : `from ${place}`,
    index === undefined ? undefined : `no. ${index + 1}`,
  ];
  return words.filter((word) => word !== undefined).join(', ');
}

function adaptationsOf({ details }: ExplanationNode): readonly string[] {
  const names: unknown = details?.['adaptations'];
  return Array.isArray(names) ? names.filter((name): name is string => typeof name === 'string') : [];
}
