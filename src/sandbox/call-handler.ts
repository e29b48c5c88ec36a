import type { AnyOperation } from '../contract/index.ts';
import { handlers } from './handlers/index.ts';
import type { Academy } from './state/academy.ts';

/**
 * Runs the handler of an operation. `input` has passed the operation's schema; TypeScript cannot follow that
 * the handler found by an id takes the input of the same id, hence the one cast.
 */
export function callHandler(operation: AnyOperation, input: unknown, academy: Academy): unknown {
  const handler = handlers[operation.id] as (input: unknown, academy: Academy) => unknown;
  return handler(input, academy);
}
