import { type Pixel, squarePng } from './png.ts';

const size = 512;

type Color = readonly [red: number, green: number, blue: number];
/** The distance from a point to the edge of a shape, in pixels; negative inside. */
type Shape = (x: number, y: number) => number;

interface Layer {
  readonly shape: Shape;
  readonly color: (x: number, y: number) => Color;
}

function roundedBox(centerX: number, centerY: number, halfWidth: number, halfHeight: number, radius: number): Shape {
  return (x, y) => {
    const dx = Math.abs(x - centerX) - halfWidth + radius;
    const dy = Math.abs(y - centerY) - halfHeight + radius;
    return Math.hypot(Math.max(dx, 0), Math.max(dy, 0)) + Math.min(Math.max(dx, dy), 0) - radius;
  };
}

/** A diamond with its corners on the axes through its center. */
function diamond(centerX: number, centerY: number, halfWidth: number, halfHeight: number): Shape {
  const scale = 1 / Math.hypot(1 / halfWidth, 1 / halfHeight);
  return (x, y) => (Math.abs(x - centerX) / halfWidth + Math.abs(y - centerY) / halfHeight - 1) * scale;
}

const white = (): Color => [255, 255, 255];
const amber = (): Color => [255, 200, 87];
const shade = (): Color => [214, 221, 255];

function indigo(_x: number, y: number): Color {
  const share = y / size;
  return [Math.round(99 - 30 * share), Math.round(102 - 50 * share), Math.round(241 - 35 * share)];
}

/** A graduation cap on a rounded square. Later layers cover earlier ones. */
const layers: readonly Layer[] = [
  { shape: roundedBox(256, 256, 256, 256, 112), color: indigo },
  { shape: roundedBox(256, 268, 108, 108, 44), color: shade },
  { shape: diamond(256, 212, 190, 96), color: white },
  { shape: roundedBox(402, 282, 7, 66, 7), color: amber },
  { shape: roundedBox(402, 358, 19, 26, 14), color: amber },
];

/** How much of a pixel lies inside: the edges are one pixel wide and smooth. */
function coverage(distance: number): number {
  return Math.min(Math.max(0.5 - distance, 0), 1);
}

function covered([red, green, blue, opacity]: Pixel, [r, g, b]: Color, share: number): Pixel {
  const mix = (from: number, to: number) => Math.round(from + (to - from) * share);
  // The first layer is drawn on nothing: its color must not fade to black at the edge.
  if (opacity === 0) return [r, g, b, Math.round(255 * share)];
  return [mix(red, r), mix(green, g), mix(blue, b), opacity];
}

/** The icon of the bundle, 512 pixels wide and high. */
export function drawIcon(): Buffer {
  return squarePng(size, (column, row) => {
    const [x, y] = [column + 0.5, row + 0.5];
    return layers.reduce<Pixel>(
      (pixel, { shape, color }) => covered(pixel, color(x, y), coverage(shape(x, y))),
      [0, 0, 0, 0],
    );
  });
}
