/** For each answer, the paths of values that could not be read: "$.modules.0.lessons.2". */
const places = new WeakMap<object, readonly string[]>();

export function noteUnreadablePaths(answer: object, paths: readonly string[]): void {
  if (paths.length > 0) places.set(answer, paths);
}

/** Paths of the values that were left out of an answer, as the API sent it; empty if all were read. */
export function unreadablePathsIn(answer: object): readonly string[] {
  return places.get(answer) ?? [];
}

/** Number of list entries that are not records, such as a null. */
export function unreadableEntries(answer: object): number {
  return unreadablePathsIn(answer).filter((path) => /^\$\.items\.\d+$/.test(path)).length;
}
