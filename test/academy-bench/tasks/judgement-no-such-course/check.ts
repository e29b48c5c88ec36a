import { declines, phrase } from '../../facts.ts';
import type { Check } from '../../task.ts';

export const check: Check = {
  says: () => [{ ...phrase('Knitting'), sources: [] }, declines],
  reads: () => ['/api/v1/products?query=Knitting'],
};
