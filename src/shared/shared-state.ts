import type { ByteStore } from './byte-store.ts';
import type { SharedStore } from './shared-store.ts';

/** What Redis is to this replica at the moment, for /readyz and metrics. */
export interface SharedStatus {
  readonly isUp: boolean;
  /** How often Redis was lost or emptied since the start. */
  readonly losses: number;
}

/** What all replicas of a deployment share. `Tokens` are those of the rate limit, which this folder does not know. */
export interface SharedState<Tokens> {
  /** The tokens of an account, by its address: every key of it counts against the same limit. */
  tokensOf(address: URL): Tokens;
  /** A store of its own for each name, readable only with the secret. */
  storeOf(name: string, secret: string): SharedStore;
  /** Large values of all accounts, with one quota, readable only with the secret. */
  bytes(secret: string): ByteStore;
  status(): SharedStatus;
  close(): Promise<void>;
}
