/** Bytes that a value takes beside the characters of its text, as measured for records of the API. */
const eachValue = 40;

/** About how many bytes of memory a value of JSON takes. */
export function memoryOf(json: unknown): number {
  let bytes = 0;
  const open: unknown[] = [json];
  while (open.length > 0) {
    const value = open.pop();
    bytes += eachValue + (typeof value === 'string' ? value.length : 0);
    if (typeof value !== 'object' || value === null) continue;
    for (const entry of Object.values(value)) open.push(entry);
  }
  return bytes;
}
