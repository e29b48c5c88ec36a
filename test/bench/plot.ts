import { boxAt, svg, textAt } from '../../scripts/docs/svg.ts';
import type { Bar, Plot } from './benchmark.ts';

// Draws a bar chart: one line for each bar, with its label, the bar and its figure.

const width = 860;
const margin = 20;
const labels = 280;
const figures = 210;
const barHeight = 20;
const lineHeight = 32;
const top = 56;
const widest = width - 2 * margin - labels - figures;

const css = `
.page { fill: #ffffff } text { fill: #1f2937; font: 14px system-ui, -apple-system, 'Segoe UI', sans-serif }
.title, .ours-label { font-weight: 600 } .other { fill: #94a3b8 } .ours { fill: #2563eb }
@media (prefers-color-scheme: dark) {
.page { fill: #0d1117 } text { fill: #e6edf3 } .other { fill: #64748b } .ours { fill: #60a5fa }
}`;

function barLine({ label, value, figure }: Bar, index: number, largest: number): string[] {
  const y = top + index * lineHeight;
  const style = label.startsWith('academy-mcp') ? 'ours' : 'other';
  // A bar that is too short to see would look like a missing value.
  const length = Math.max(2, Math.round((widest * value) / largest));
  const x = margin + labels;
  return [
    textAt(margin, y + 15, `${style}-label`, label),
    boxAt({ x, y, width: length, height: barHeight }, style, 3),
    textAt(x + length + 8, y + 15, `${style}-label`, figure),
  ];
}

/** What a person who cannot see the picture gets to know: every bar. */
export function describe({ bars }: Plot): string {
  return `${bars.map(({ label, figure }) => `${label}: ${figure}`).join('; ')}.`;
}

/** The whole SVG file. Its colors follow the reader's color scheme. */
export function drawPlot(plot: Plot): string {
  const { title, bars } = plot;
  const height = top + bars.length * lineHeight + margin / 2;
  const largest = Math.max(...bars.map(({ value }) => value));
  const shapes = [
    boxAt({ x: 0, y: 0, width, height }, 'page'),
    textAt(margin, 32, 'title', title),
    ...bars.flatMap((bar, index) => barLine(bar, index, largest)),
  ];
  return svg({ title, description: describe(plot), width, height, css, shapes });
}
