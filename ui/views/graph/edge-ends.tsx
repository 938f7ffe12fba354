import { Handle, Position } from '@xyflow/react';

/** Where arrows begin and end; React Flow asks for them once a card is drawn. */
export function EdgeEnds() {
  return (
    <>
      <Handle type="target" position={Position.Left} isConnectable={false} />
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </>
  );
}
