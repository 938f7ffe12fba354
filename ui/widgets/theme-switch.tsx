import { useTheme } from '../state/theme.ts';
import type { Theme } from '../state/theme.ts';

const NEXT: Readonly<Record<Theme, Theme>> = { auto: 'light', light: 'dark', dark: 'auto' };
const SIGNS: Readonly<Record<Theme, string>> = { auto: '◐', light: '☀', dark: '☾' };

export function ThemeSwitch() {
  const { theme, choose } = useTheme();
  return (
    <button
      type="button"
      className="button icon"
      title={`Colours: ${theme}`}
      aria-label={`Colours: ${theme}. Change to ${NEXT[theme]}`}
      onClick={() => choose(NEXT[theme])}
    >
      {SIGNS[theme]}
    </button>
  );
}
