import type { Guard } from './guard.ts';

const generated = ['test/tools/insights/generated-orders.test.ts'];
const changing = ['test/tools/insights/orders-changing-during-scan.test.ts'];
const report = ['test/tools/insights/sales-report.test.ts'];

/** The orders and sums of a period are correct. */
export const salesGuards: readonly Guard[] = [
  {
    name: 'the end of a period is exclusive',
    file: 'src/insights/sales/coverage-gaps.ts',
    text: '&& at < to;',
    instead: '&& at <= to;',
    tests: changing,
    only: 'an order listed twice counts once',
  },
  {
    name: 'the start of a period is inclusive',
    file: 'src/insights/sales/coverage-gaps.ts',
    text: 'return at >= (from',
    instead: 'return at > (from',
    tests: changing,
    only: 'an order listed twice counts once',
  },
  {
    name: 'the times of orders are checked again',
    file: 'src/workflows/sales/order-scan.ts',
    text: 'isInPeriod(order, question()) === true &&',
    instead: 'isInPeriod(order, question()) !== null &&',
    tests: changing,
    only: 'an order listed twice counts once',
  },
  {
    name: 'the statuses of orders are checked again',
    file: 'src/insights/sales/coverage-gaps.ts',
    text: 'statuses.some((one) => one === status)',
    instead: 'statuses.length > 0',
    tests: changing,
    only: 'an order listed twice counts once',
  },
  {
    name: 'an order counts once',
    file: 'src/workflows/sales/order-scan.ts',
    text: '[order.id, order]',
    instead: '[String(Math.random()), order]',
    tests: changing,
    only: 'an order listed twice counts once',
  },
  {
    name: 'a list that changed while it was read is read again',
    file: 'src/workflows/sales/order-pages.ts',
    text: '!stream.isSecondReading) {',
    instead: 'stream.isSecondReading) {',
    tests: changing,
    only: 'a list that keeps changing',
  },
  {
    name: 'a list that keeps changing is not called complete',
    file: 'src/workflows/sales/order-scan.ts',
    text: 'isUnsteady(stream, to));',
    instead: 'isUnsteady(stream, to) && to === 0);',
    tests: changing,
    only: 'keeps changing',
  },
  {
    name: 'access granted by an admin is not a sale',
    file: 'src/insights/sales/sold-order.ts',
    text: "if (isGranted(amount)) return 'granted';",
    instead: "if (amount === 'never') return 'granted';",
    tests: generated,
    only: 'find_buyers equals',
  },
  {
    name: 'any spelling of zero counts as granted access',
    file: 'src/contract/orders.ts',
    text: 'parseDecimal(amount)?.units === 0n',
    instead: "amount === '0'",
    tests: report,
    only: 'any spelling of zero',
  },
  {
    name: 'counted grants are distinguished from purchases',
    file: 'src/insights/sales/buyers.ts',
    text: 'return orders.filter(isGrantedOrder).length;',
    instead: 'return 0;',
    tests: report,
    only: 'shown separately from purchases',
  },
  {
    name: 'excluded grants are counted separately',
    file: 'src/insights/sales/buyers.ts',
    text: "granted: count('granted'),",
    instead: 'granted: 0,',
    tests: report,
    only: 'counted separately',
  },
  {
    name: 'currencies are never added up',
    file: 'src/insights/money.ts',
    text: 'currency?.trim().toUpperCase() || noCurrency',
    instead: 'noCurrency',
    tests: ['test/insights/money.test.ts'],
  },
  {
    name: 'an invalid amount is in no sum',
    file: 'src/contract/schemas/decimal.ts',
    text: 'if (whole === undefined) return undefined;',
    instead: 'if (whole === undefined) return { units: 0n, places: 0 };',
    tests: ['test/insights/money.test.ts'],
  },
];
