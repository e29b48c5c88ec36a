import type { LedgerState } from './token-ledger.ts';

export interface LedgerView {
  readonly state: LedgerState;
  /** Milliseconds since the ledger said so. */
  readonly age: number;
  /** Tokens that all replicas together may use. */
  readonly allowed: number;
  /** Tokens that this replica holds unused. */
  readonly inHand: number;
  /** How long a token is in use after the answer of its request, in milliseconds. */
  readonly hold: number;
}

/** Milliseconds until a caller with `ahead` others before it in this replica gets a token of the ledger. */
export function waitByLedger({ state, age, allowed, inHand, hold }: LedgerView, ahead: number): number {
  const blocked = state.blockedMs - age;
  // Replicas are served in turn: of each other one, at most as many go before.
  const before = state.waitingElsewhere.reduce((sum, count) => sum + Math.min(count, ahead + 1), 0);
  const place = state.returns.length - allowed + before + ahead - inHand;
  if (place < 0) return Math.max(0, blocked);
  const at = state.returns[place];
  const last = hold * (1 + Math.floor((place - state.returns.length) / allowed));
  return Math.max(1, blocked, at === undefined ? last : at - age);
}

/** Requests that could be sent now. */
export function availableByLedger({ state, age, allowed, inHand }: LedgerView): number {
  return inHand + Math.max(0, allowed - state.returns.filter((time) => time > age).length);
}
