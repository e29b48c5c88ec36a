/** Whether one of the texts holds the query, whatever the case. An empty query is in all of them. */
export function contains(query: string, ...texts: readonly string[]): boolean {
  const wanted = query.trim().toLowerCase();
  return texts.some((text) => text.toLowerCase().includes(wanted));
}
