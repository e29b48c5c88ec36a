import type { Definitions, DescribedTool, Listing } from './describe-tool.ts';
import type { Toolset } from './principal.ts';
import type { Presented, Tool } from './tool.ts';

export interface Catalog extends Definitions {
  /** Listed only if a caller may use several accounts. */
  readonly listAccounts: AccountLister;
  /** What a program with these definitions lists. */
  readonly listing: Listing;
  /** The text that the model reads once, about the available tools. */
  readonly instructions: (tools: readonly Pick<Tool, 'name'>[], mode: Mode) => string;
}

export interface Mode {
  readonly sandbox: boolean;
  readonly readOnly: boolean;
  readonly accounts?: readonly string[];
}

/** What a caller may know of an account without a request. */
export interface AccountFacts {
  readonly name: string;
  readonly timezone: string;
  readonly read_only: boolean;
  /** Missing if all are available. */
  readonly toolsets?: readonly Toolset[];
}

/** The tool that names the accounts. It belongs to no account, so it has no context. */
export interface AccountLister extends DescribedTool {
  present(accounts: readonly AccountFacts[]): Presented;
}
