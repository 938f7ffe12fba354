import type { ExplanationNode, NodeDetail } from '../../../src/client/browser.ts';
import { MarkedText } from '../../widgets/marked-text.tsx';

interface RawAttributesProps {
  readonly node: ExplanationNode;
  readonly attributes: NodeDetail['attributes'];
}

/** What the records said, by span; long values are cut until asked for. */
export function RawAttributes({ node, attributes = {} }: RawAttributesProps) {
  const groups: (readonly [string, object])[] = [
    ['Node', { id: node.id, name: node.name, taskId: node.taskId, ...node.details }],
    ...Object.entries(attributes).map(([span, values]) => [`Span ${span}`, values] as const),
  ];
  return groups.map(([title, values]) => (
    <section key={title} className="raw">
      <h3>{title}</h3>
      <dl>
        {Object.entries(values).map(([key, value]) => (
          <div key={key}>
            <dt>{key}</dt>
            <dd>
              <MarkedText text={typeof value === 'string' ? value : JSON.stringify(value)} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  ));
}
