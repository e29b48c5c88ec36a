/** Whether one of the texts contains the query, ignoring case. Every text contains an empty query. */
export function contains(query: string, ...texts: readonly string[]): boolean {
  const wanted = query.trim().toLowerCase();
  return texts.some((text) => text.toLowerCase().includes(wanted));
}
