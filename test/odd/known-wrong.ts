/** Switch and question, as they are known to be judged WRONG or worse today. What is right again must leave this list. */
export const knownWrong: readonly string[] = [];
