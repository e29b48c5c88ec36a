/** Each of several accounts has a file of its own. Names of accounts have no dot. */
export const accountFileOf = (file: string, account: string): string => `${file}.${account}`;
