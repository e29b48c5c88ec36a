/** Where, in the answers that were read leniently, something stood that could not be read: "$.modules.0.lessons.2". */
const places = new WeakMap<object, readonly string[]>();

export function noteUnreadablePaths(answer: object, paths: readonly string[]): void {
  if (paths.length > 0) places.set(answer, paths);
}

/** Paths of what was left out of an answer, in it as it came; empty where all was read. */
export function unreadablePathsIn(answer: object): readonly string[] {
  return places.get(answer) ?? [];
}

/** Entries of a list that are no records, such as a null. */
export function unreadableEntries(answer: object): number {
  return unreadablePathsIn(answer).filter((path) => /^\$\.items\.\d+$/.test(path)).length;
}
