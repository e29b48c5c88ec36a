import type { Config } from '../config/load.ts';
import type { AccountFacts } from '../mcp/catalog.ts';

/** One academy of an accounts file. */
export interface Account {
  readonly name: string;
  /** The settings of the program with those of this account. */
  readonly config: Config;
}

/** A bearer token, and the accounts that it opens. */
export interface CallerToken {
  readonly token: string;
  /** What the audit log, the log and the metrics call its caller. */
  readonly name?: string | undefined;
  /** Undefined: all. */
  readonly accounts?: readonly string[] | undefined;
}

/** A loaded accounts file. */
export interface Accounts {
  /** In the order of the file. */
  readonly list: readonly Account[];
  /** Empty unless the program serves HTTP. */
  readonly callers: readonly CallerToken[];
  /** The claim of OAuth access tokens that names the accounts that a token opens. */
  readonly oauthClaim: string;
}

/** What list_accounts shows of an account. */
export function accountFacts({ name, config: { timezone, readOnly, toolsets } }: Account): AccountFacts {
  return { name, timezone, read_only: readOnly, ...(toolsets === undefined ? {} : { toolsets }) };
}

/** The accounts of one caller, in the order of the file. `names` undefined: all. */
export function openAccounts({ list }: Pick<Accounts, 'list'>, names: readonly string[] | undefined): Account[] {
  return list.filter(({ name }) => names === undefined || names.includes(name));
}
