import { createContext, useContext } from 'react';
import type { ExplanationNode } from '../../../src/client/browser.ts';
import { useGraphState } from './graph-state.ts';
import { heatOf } from './heat.ts';

/** The greatest value of all cards, by which the others are measured. */
export const HottestContext = createContext(0);

/** 0 where cards are coloured by status. */
export function useHeat(node: ExplanationNode | undefined): number {
  const by = useGraphState(({ heat }) => heat);
  const most = useContext(HottestContext);
  return by === 'status' || !node ? 0 : heatOf(node, by, most);
}
