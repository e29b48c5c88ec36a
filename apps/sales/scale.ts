/** Round steps of an axis: 1, 2 or 5 times a power of ten. */
function stepFor(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5, 10].find((one) => one * power >= rough) ?? 10;
  return factor * power;
}

/** The values of the lines of an axis from 0 to at least `largest`. */
export function ticksFor(largest: number, count: number): number[] {
  if (largest <= 0) return [0, 1];
  const step = stepFor(largest / count);
  return Array.from({ length: Math.ceil(largest / step - 1e-9) + 1 }, (_, index) => index * step);
}

/** "12,000", "0.5": the label of a tick. */
export function tickText(value: number): string {
  return Number(value.toPrecision(6)).toLocaleString('en-US');
}
