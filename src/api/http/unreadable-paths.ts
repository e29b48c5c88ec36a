/** Where, in the answers that were read leniently, something stood that could not be read: "$.modules.0.lessons.2". */
const places = new WeakMap<object, readonly string[]>();

export function noteUnread(answer: object, paths: readonly string[]): void {
  if (paths.length > 0) places.set(answer, paths);
}

/** Paths of what was left out of an answer, in it as it came; empty where all was read. */
export function unreadIn(answer: object): readonly string[] {
  return places.get(answer) ?? [];
}

/** Entries of a list that are no records, such as a null. */
export function lostEntries(answer: object): number {
  return unreadIn(answer).filter((path) => /^\$\.items\.\d+$/.test(path)).length;
}
