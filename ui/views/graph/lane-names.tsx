import { Fragment, memo } from 'react';
import type { CSSProperties } from 'react';
import type { Lane } from '../../layout/place.ts';
import { useViewportStyle } from './use-viewport-style.ts';

/** Whose lane it is; the names stay at the left, however far the picture is moved. */
export const LaneNames = memo(function LaneNames({ lanes }: { readonly lanes: readonly Lane[] }) {
  const layer = useViewportStyle<HTMLDivElement>();
  return (
    <div className="lanes" ref={layer} aria-hidden="true">
      {lanes.map(({ row, agent, isBase }) => (
        <div key={row} className={`lane ${isBase ? 'base' : ''}`} style={{ '--row': row } as CSSProperties}>
          <span className="lane-name" dir="auto">
            <span>{isBase ? <Name agent={agent} /> : '∥'}</span>
          </span>
        </div>
      ))}
    </div>
  );
});

/** Broken between its words, where there is no room for it: `critic_agent`, `CriticAgent`. */
function Name({ agent }: { readonly agent: string }) {
  const words = agent.split(/(?<=[_./:])|(?<=\p{Ll})(?=\p{Lu})/u);
  return words.map((word, index) => (
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {word}
    </Fragment>
  ));
}
