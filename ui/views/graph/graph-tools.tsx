import { useReactFlow } from '@xyflow/react';
import { useUrl } from '../../state/url.ts';
import { plural } from '../../state/format.ts';
import { ColourBy } from './colour-by.tsx';
import { useGraphState } from './graph-state.ts';

interface GraphToolsProps {
  readonly unseen: number;
  readonly onNewest: () => void;
  readonly backward: number;
  readonly canUndo: boolean;
  /** Tidy took too long. */
  readonly isLate: boolean;
  readonly hasErrors: boolean;
  readonly onError: () => void;
  readonly onTidy: () => void;
  readonly onUndo: () => void;
  readonly onFit: () => void;
}

export function GraphTools(props: GraphToolsProps) {
  const { unseen, onNewest, backward, canUndo, isLate, hasErrors, onError, onTidy, onUndo, onFit } = props;
  const { isFollowing, follow } = useGraphState();
  const flow = useReactFlow();
  const { params, set } = useUrl();
  return (
    <div className="graph-tools" role="toolbar" aria-label="Graph">
      {unseen > 0 && !isFollowing && (
        <button type="button" className="button small primary" data-testid="new-steps" onClick={onNewest}>
          {plural(unseen, 'new step')} →
        </button>
      )}
      {hasErrors && (
        <button
          type="button"
          className="button small to-error"
          data-testid="next-error"
          aria-keyshortcuts="E"
          onClick={onError}
        >
          Next error →
        </button>
      )}
      <button
        type="button"
        className="button small"
        data-testid="follow-live"
        aria-pressed={isFollowing}
        aria-keyshortcuts="F"
        onClick={() => follow(!isFollowing)}
      >
        {isFollowing ? 'Following' : 'Follow'}
      </button>
      <ColourBy />
      <button type="button" className="button small" aria-keyshortcuts="T" onClick={onTidy}>
        Tidy
        {backward > 0 && <span className="badge">{backward}</span>}
      </button>
      {isLate && (
        <span className="badge" role="status">
          Tidy took too long: all stays where it is
        </span>
      )}
      {params.get('open') !== null && (
        <button type="button" className="button small" onClick={() => set({ open: null }, 'push')}>
          Close summaries
        </button>
      )}
      {canUndo && (
        <button type="button" className="button small" aria-keyshortcuts="Z" onClick={onUndo}>
          Undo
        </button>
      )}
      <span className="zoom-tools">
        <button
          type="button"
          className="button small"
          aria-label="Zoom out"
          onClick={() => void flow.zoomOut()}
        >
          −
        </button>
        <button type="button" className="button small" aria-keyshortcuts="0" onClick={onFit}>
          Fit
        </button>
        <button
          type="button"
          className="button small"
          aria-label="Zoom in"
          onClick={() => void flow.zoomIn()}
        >
          +
        </button>
      </span>
    </div>
  );
}
