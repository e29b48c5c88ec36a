/** A regular file of Linux that can be opened for writing and refuses every line, as a full disk does. */
export const unwritableFile = '/proc/self/oom_score_adj';
