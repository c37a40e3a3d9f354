import { Color } from 'three';
import type { Verdict } from '../contact';

// Colours that also differ in brightness and for most colour-blind people (after Okabe and Ito); the
// markers differ in shape as well.
export const kVerdictColor: Record<Verdict, string> = {
  open: '#8a8f98',
  stick: '#009e73',
  slip: '#e69f00',
  violated: '#d0263e',
};
export const kSlipColor = '#b65f9c';
export const kJointForceColor = '#7c4dff';
export const kJointTorqueColor = '#b0742a';

export interface ScenePalette {
  background: string;
  ground: string;
  grid: string;
  still: Color;
  accent: Color;
  joint: Color;
  trail: string;
}

export const kScene: Record<'light' | 'dark', ScenePalette> = {
  light: {
    background: '#f4f6f8',
    ground: '#ffffff',
    grid: '#9aa7b5',
    still: new Color('#c3c9d0'),
    accent: new Color('#0b7fd0'),
    joint: new Color('#3d4a58'),
    trail: '#0b7fd0',
  },
  dark: {
    background: '#14181d',
    ground: '#1d2229',
    grid: '#566270',
    still: new Color('#5b646e'),
    accent: new Color('#56b4e9'),
    joint: new Color('#b9c6d3'),
    trail: '#56b4e9',
  },
};

/** Calm blue-greys; neighbours differ a little so that a pile can be read. */
export function bodyColor(body: number, dark: boolean): Color {
  const golden = (body * 0.618034) % 1;
  const other = (body * 0.381966 + 0.2) % 1;
  return new Color().setHSL(
    0.56 + 0.06 * (golden - 0.5),
    0.22 + 0.12 * other,
    (dark ? 0.47 : 0.6) + 0.12 * (golden - 0.5),
  );
}
