const lineFeed = 10;

/**
 * Cuts bytes into lines, however they arrive, and hands out each as text. The function returned takes the next bytes and
 * answers how many of them, and of those before, belong to a line that has not ended.
 */
export function createLineCutter(onLine: (line: string) => void): (chunk: Buffer) => number {
  let parts: Buffer[] = [];
  let unfinished = 0;
  return (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
      const line = Buffer.concat([...parts, chunk.subarray(start, end)]);
      parts = [];
      unfinished = 0;
      start = end + 1;
      onLine(line.toString('utf8'));
    }
    parts.push(chunk.subarray(start));
    unfinished += chunk.length - start;
    return unfinished;
  };
}
