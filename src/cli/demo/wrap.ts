/** Maximum length of a line, in characters. */
export const lineWidth = 100;

/** Breaks a line at spaces into parts of at most `width` characters. Cuts a longer word. Keeps leading spaces. */
export function wrap(line: string, width: number): string[] {
  const rest = line.trimEnd();
  if (rest.length <= width) return [rest];
  const blank = rest.lastIndexOf(' ', width);
  const end = blank > rest.length - rest.trimStart().length ? blank : width;
  return [rest.slice(0, end).trimEnd(), ...wrap(rest.slice(end).trimStart(), width)];
}
