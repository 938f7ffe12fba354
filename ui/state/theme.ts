import { create } from 'zustand';

export type Theme = 'auto' | 'light' | 'dark';

const KEY = 'theme';

interface ThemeState {
  readonly theme: Theme;
  readonly choose: (theme: Theme) => void;
}

/** As the system says, until somebody chooses. */
export const useTheme = create<ThemeState>()((set) => ({
  theme: shown(localStorage.getItem(KEY)),
  choose(theme) {
    localStorage.setItem(KEY, theme);
    set({ theme: shown(theme) });
  },
}));

function shown(given: string | null): Theme {
  const theme = given === 'light' || given === 'dark' ? given : 'auto';
  document.documentElement.dataset['theme'] = theme;
  return theme;
}
