const lineFeed = 10;

/**
 * Splits a stream of bytes into lines and passes each to `onLine` as text. The returned function takes the next chunk and
 * returns the number of bytes in the unfinished line.
 */
export function createLineSplitter(onLine: (line: string) => void): (chunk: Buffer) => number {
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
