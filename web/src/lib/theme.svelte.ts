// Dark and light: the system's choice, or the reader's, which the browser keeps.

export type Theme = 'system' | 'light' | 'dark';
const KEY = 'sanlab-theme';

function kept(): Theme {
  try {
    const value = localStorage.getItem(KEY);
    return value === 'light' || value === 'dark' ? value : 'system';
  } catch {
    return 'system';
  }
}

let theme = $state<Theme>(kept());
let version = $state(0);

export function applyTheme(): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  version += 1;
}

matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => (version += 1));

export const themes = {
  get current(): Theme {
    return theme;
  },
  /** Grows with each change of colours, for drawings on a canvas. */
  get version(): number {
    return version;
  },
  set(next: Theme): void {
    theme = next;
    try {
      if (next === 'system') localStorage.removeItem(KEY);
      else localStorage.setItem(KEY, next);
    } catch {
      // Without storage the choice lasts as long as the page.
    }
    applyTheme();
  },
};

/** The colour of a CSS variable as the browser resolves it in the present theme. */
export function resolvedColour(variable: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${variable})`;
  document.body.append(probe);
  const colour = getComputedStyle(probe).color;
  probe.remove();
  return colour;
}
