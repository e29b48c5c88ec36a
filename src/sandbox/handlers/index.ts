import type { Handlers } from '../handler.ts';
import { accessHandlers } from './access.ts';
import { accountHandlers } from './account.ts';
import { bundlesHandlers } from './bundles.ts';
import { communityHandlers } from './community.ts';
import { coursesHandlers } from './courses.ts';
import { digitalProductsHandlers } from './digital-products.ts';
import { ordersHandlers } from './orders.ts';
import { productsHandlers } from './products.ts';
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
