/** Bytes of a value in addition to the characters of its text, as measured for records of the API. */
const bytesPerValue = 40;

/** Estimates the bytes of memory that a JSON value takes. */
export function memoryOf(json: unknown): number {
  let bytes = 0;
  const open: unknown[] = [json];
  while (open.length > 0) {
    const value = open.pop();
    bytes += bytesPerValue + (typeof value === 'string' ? value.length : 0);
    if (typeof value !== 'object' || value === null) continue;
    for (const entry of Object.values(value)) open.push(entry);
  }
  return bytes;
}
