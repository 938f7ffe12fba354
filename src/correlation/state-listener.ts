import type { NodeEntry } from './node-entry.ts';

/** Who is told what the state has found out. */
export interface StateListener {
  /** The sources of a node changed: it has to be made anew. */
  readonly onTouched: (entry: NodeEntry) => void;
  /** Something that others may refer to by this key changed. */
  readonly onKeyChanged: (key: string) => void;
  /** The edges into a node, or what is derived from it, may be others. */
  readonly onRevisit: (nodeId: string) => void;
  /** What is below a node is another, and with it what the node shows. */
  readonly onBelowChanged: (nodeId: string) => void;
  /** Does anybody refer to spans by span id alone, or to steps by step id? */
  readonly hasKeys: () => { readonly spanIds: boolean; readonly stepIds: boolean };
}
