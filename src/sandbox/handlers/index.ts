import type { AnyOperation } from '../../contract/index.ts';
import type { Handlers } from '../handler.ts';
import type { Academy } from '../state/academy.ts';
import { accessHandlers } from './access.ts';
import { accountHandlers } from './account.ts';
import { communityHandlers } from './community.ts';
import { coursesHandlers } from './courses.ts';
import { ordersHandlers } from './orders.ts';
import { bundlesHandlers, digitalProductsHandlers, productsHandlers } from './products.ts';
import { studentsHandlers } from './students.ts';

/** The handlers of all sections of the API document. */
export const handlers: Handlers = {
  ...accountHandlers,
  ...coursesHandlers,
  ...bundlesHandlers,
  ...digitalProductsHandlers,
  ...productsHandlers,
  ...communityHandlers,
  ...ordersHandlers,
  ...studentsHandlers,
  ...accessHandlers,
};

/**
 * Runs the handler of an operation on validated input. The cast: TypeScript cannot see that the handler of an id takes
 * the input of the same id.
 */
export function callHandler(operation: AnyOperation, input: unknown, academy: Academy): unknown {
  const handler = handlers[operation.id] as (input: unknown, academy: Academy) => unknown;
  return handler(input, academy);
}
