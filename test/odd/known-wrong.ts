/** Switches and questions of the short form that are currently judged WRONG or worse. Remove an entry after its fix. */
export const knownWrong: readonly string[] = [];
