/** Four digits, no trailing noise: 0.1234, 12.34, 1.2e-9. */
export function num(x: number, digits = 4): string {
  if (Number.isNaN(x)) return 'NaN';
  if (!Number.isFinite(x)) return x > 0 ? '∞' : '−∞';
  if (x === 0) return '0';
  const size = Math.abs(x);
  const text =
    size >= 1e5 || size < 1e-3
      ? x.toExponential(Math.max(0, digits - 2)).replace('e+', 'e')
      : String(Number(x.toPrecision(digits)));
  return text.replace(/-/g, '−');
}

/** The nearest of 1, 2, 5 times a power of ten. */
export function round125(x: number): number {
  if (!(x > 0) || !Number.isFinite(x)) return 1;
  const power = 10 ** Math.floor(Math.log10(x));
  const lead = x / power;
  return (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10) * power;
}
