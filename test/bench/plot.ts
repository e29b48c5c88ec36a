import type { Bar, Plot } from './benchmark.ts';

// Draws a bar chart: one line for each bar, with its label, the bar and its figure.

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => escapes[character] ?? character);
}

/** A line of text; `style` names a class of the drawing. */
function textAt(x: number, y: number, style: string, text: string): string {
  return `<text x="${x}" y="${y}" class="${style}">${escapeXml(text)}</text>`;
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

function boxAt({ x, y, width, height }: Box, style: string, radius = 10): string {
  return `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${radius}" class="${style}"/>`;
}

interface Drawing {
  readonly title: string;
  /** For readers who cannot see the drawing. */
  readonly description?: string;
  readonly width: number;
  readonly height: number;
  readonly css: string;
  readonly shapes: readonly string[];
}

/** A whole SVG file. */
function svg({ title, description, width, height, css, shapes }: Drawing): string {
  const frame = `xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img"`;
  const desc = description === undefined ? [] : [`<desc>${escapeXml(description)}</desc>`];
  const head = [`<svg ${frame}>`, `<title>${escapeXml(title)}</title>`, ...desc, `<style>${css}</style>`];
  return `${[...head, ...shapes, '</svg>'].join('\n')}\n`;
}

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
