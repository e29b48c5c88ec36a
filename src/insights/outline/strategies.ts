import { planWrites } from './absolute-strategy.ts';
import { positionalWrites } from './positional-strategy.ts';
import { renumberWrites } from './renumber-strategy.ts';
import type { Strategy } from './strategy.ts';

/**
 * Tried in this order, with a reading before each, until `isTargetReached`. If the last one fails too, somebody else changes
 * the course, or `sequence` has another meaning in the API.
 */
export const strategies: readonly Strategy[] = [planWrites, positionalWrites, renumberWrites];
