// What a drawing in SVG is made of: positioned text and boxes, one above the other.

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

export function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => escapes[character] ?? character);
}

/** A line of text; `style` names a class of the drawing. */
export function textAt(x: number, y: number, style: string, text: string): string {
  return `<text x="${x}" y="${y}" class="${style}">${escapeXml(text)}</text>`;
}

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export function boxAt({ x, y, width, height }: Box, style: string, radius = 10): string {
  return `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${radius}" class="${style}"/>`;
}

export interface Drawing {
  readonly title: string;
  /** For readers who cannot see the drawing. */
  readonly description?: string;
  readonly width: number;
  readonly height: number;
  readonly css: string;
  readonly shapes: readonly string[];
}

/** A whole SVG file. */
export function svg({ title, description, width, height, css, shapes }: Drawing): string {
  const frame = `xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img"`;
  const desc = description === undefined ? [] : [`<desc>${escapeXml(description)}</desc>`];
  const head = [`<svg ${frame}>`, `<title>${escapeXml(title)}</title>`, ...desc, `<style>${css}</style>`];
  return `${[...head, ...shapes, '</svg>'].join('\n')}\n`;
}
