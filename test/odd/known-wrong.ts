/** Switch and question of the short form that are judged WRONG or worse today. What is right again must leave this list. */
export const knownWrong: readonly string[] = [];
