/** Switches and questions of the short form that are judged WRONG or worse today. Remove what is right again. */
export const knownWrong: readonly string[] = [];
