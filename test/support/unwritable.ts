/** A regular Linux file that can be opened for writing and refuses every line, like a full disk. */
export const unwritableFile = '/proc/self/oom_score_adj';
