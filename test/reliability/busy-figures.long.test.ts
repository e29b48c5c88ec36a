import { testFigure } from './figure-test.ts';
import { lanes } from './figures/index.ts';

// The conformance suite downloads itself and a newer Node, so only `npm run conformance` runs it. F23 is in `npm test`, and
// test/odd/odd.long.test.ts tries all of F18.
const elsewhere = ['F17', 'F18', 'F23'];

for (const figure of lanes[2] ?? []) if (!elsewhere.includes(figure.id)) testFigure(figure);
