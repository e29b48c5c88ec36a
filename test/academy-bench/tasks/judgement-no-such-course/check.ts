import { declines } from '../../facts.ts';
import type { Check } from '../../task.ts';

export const check: Check = { says: () => [declines], reads: () => ['/api/v1/products?query=Knitting'] };
