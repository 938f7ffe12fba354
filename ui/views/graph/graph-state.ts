import { create } from 'zustand';

export type Heat = 'status' | 'cost' | 'time';

interface GraphState {
  /** The one card in the tab order. */
  readonly active: string | undefined;
  /** It is to take the focus when it is drawn. */
  readonly wantsFocus: boolean;
  readonly heat: Heat;
  readonly isFollowing: boolean;
  readonly activate: (id: string, wantsFocus: boolean) => void;
  readonly focused: () => void;
  readonly colourBy: (heat: Heat) => void;
  readonly follow: (isFollowing: boolean) => void;
}

/** What cards need to know of the view: each reads only what concerns itself. */
export const useGraphState = create<GraphState>((set) => ({
  active: undefined,
  wantsFocus: false,
  heat: 'status',
  isFollowing: false,
  activate: (active, wantsFocus) => set({ active, wantsFocus }),
  focused: () => set({ wantsFocus: false }),
  colourBy: (heat) => set({ heat }),
  follow: (isFollowing) => set({ isFollowing }),
}));
