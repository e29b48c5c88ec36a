import type { AnyOperation } from '../contract/index.ts';
import { handlers } from './handlers/index.ts';
import type { Academy } from './state/academy.ts';

/**
 * Runs the handler of an operation on validated input. The cast: TypeScript cannot see that the handler of an id takes
 * the input of the same id.
 */
export function callHandler(operation: AnyOperation, input: unknown, academy: Academy): unknown {
  const handler = handlers[operation.id] as (input: unknown, academy: Academy) => unknown;
  return handler(input, academy);
}
