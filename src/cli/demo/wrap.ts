/** Longest line of the demo, in characters. */
export const lineWidth = 100;

/** Breaks a line at blanks so that each part has at most `width` characters; a longer word is cut. Leading blanks are kept. */
export function wrap(line: string, width: number): string[] {
  const rest = line.trimEnd();
  if (rest.length <= width) return [rest];
  const blank = rest.lastIndexOf(' ', width);
  const end = blank > rest.length - rest.trimStart().length ? blank : width;
  return [rest.slice(0, end).trimEnd(), ...wrap(rest.slice(end).trimStart(), width)];
}
