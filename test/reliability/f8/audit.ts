function parses(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

const isSent = (line: string) => parses(line) && JSON.parse(line).outcome === 'sent';

/**
 * The problems of an audit log after a kill. Only its last line may be incomplete. A line is added before its write is sent:
 * so there is one for each write that reached the server, and at most one more for each kill.
 */
export function auditProblems(text: string, writesAtServer: number, kills: number): string[] {
  const lines = text.split('\n').filter((line) => line !== '');
  const broken = lines.flatMap((line, index) => (parses(line) || index === lines.length - 1 ? [] : [index + 1]));
  const sent = lines.filter(isSent).length;
  const isRight = sent >= writesAtServer && sent <= writesAtServer + kills;
  return [
    ...broken.map((number) => `line ${number} of the audit log does not parse`),
    ...(isRight
      ? []
      : [`${writesAtServer} writes and ${kills} kills, but ${sent} lines of sent writes in the audit log`]),
  ];
}
