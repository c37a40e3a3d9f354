/** Light or dark: the user's choice, else the system's. */
export class Theme {
  name: 'light' | 'dark';

  constructor() {
    const kept = read();
    const dark = matchMedia('(prefers-color-scheme: dark)').matches;
    this.name = kept === 'light' || kept === 'dark' ? kept : dark ? 'dark' : 'light';
    this.apply();
  }

  toggle(): void {
    this.name = this.name === 'light' ? 'dark' : 'light';
    this.apply();
    try {
      localStorage.setItem('cornet-theme', this.name);
    } catch {
      /* pages from disk may not keep things */
    }
  }

  private apply(): void {
    document.documentElement.dataset.theme = this.name;
  }
}

function read(): string | null {
  try {
    return localStorage.getItem('cornet-theme');
  } catch {
    return null;
  }
}
