// What the documents already describe and the program does not have yet. Each entry is removed when its thing exists:
// a test fails for an entry that exists.

export const promisedSettings: readonly string[] = [];

export const promisedScripts: readonly string[] = [];

export const promisedPaths: readonly string[] = [];
