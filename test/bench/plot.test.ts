import { expect, test } from 'vitest';
import { drawPlot } from './page.ts';

const plot = {
  file: 'example',
  title: 'Tokens & calls',
  bars: [
    { label: 'academy-mcp', value: 10, figure: '10 <small>' },
    { label: 'other', value: 40, figure: '40' },
    { label: 'nothing', value: 0, figure: '0' },
  ],
};

test('a plot has a title and every bar in words, for readers who cannot see it', () => {
  const drawn = drawPlot(plot);
  expect(drawn).toContain('role="img"');
  expect(drawn).toContain('<title>Tokens &amp; calls</title>');
  expect(drawn).toContain('<desc>academy-mcp: 10 &lt;small&gt;; other: 40; nothing: 0.</desc>');
});

test('the length of a bar is its share of the largest, ours is highlighted, and none is invisible', () => {
  const bars = [...drawPlot(plot).matchAll(/width="(\d+)" height="20" rx="3" class="(\w+)"/g)];
  const [ours = 0, largest = 0, smallest = 0] = bars.map(([, width]) => Number(width));
  expect(ours * 4).toBeCloseTo(largest, -1);
  expect(smallest).toBeGreaterThan(0);
  expect(bars.map(([, , style]) => style)).toEqual(['ours', 'other', 'other']);
});

test('nothing in a plot is outside its page', () => {
  const drawn = drawPlot(plot);
  const [, width, height] = /viewBox="0 0 (\d+) (\d+)"/.exec(drawn)?.map(Number) ?? [];
  for (const [, x, y] of drawn.matchAll(/<text x="(\d+)" y="(\d+)"/g)) {
    expect(Number(x)).toBeLessThan(width ?? 0);
    expect(Number(y)).toBeLessThan(height ?? 0);
  }
});

test('a plot has colors for a light and a dark page', () => {
  expect(drawPlot(plot)).toMatch(
    /\.page \{ fill: #ffffff \}.*@media \(prefers-color-scheme: dark\) \{\s*\.page \{ fill: #0d1117 \}/s,
  );
});
