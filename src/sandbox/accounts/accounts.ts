import type { Account } from './account.ts';

interface AddressedAccount {
  account: Account;
  /** The path below the account's address. */
  segments: readonly string[];
}

/** All accounts of the server. Each is at `/<subdomain>`; the first is also at the root. */
export class Accounts {
  readonly first: Account;
  readonly all: readonly Account[];
  readonly #bySubdomain: ReadonlyMap<string, Account>;

  constructor(first: Account, others: readonly Account[]) {
    this.first = first;
    this.all = [first, ...others];
    this.#bySubdomain = new Map(this.all.map((account) => [account.settings.subdomain, account]));
  }

  find(segments: readonly string[]): AddressedAccount {
    const account = this.#bySubdomain.get(segments[0] ?? '');
    return account === undefined ? { account: this.first, segments } : { account, segments: segments.slice(1) };
  }
}
