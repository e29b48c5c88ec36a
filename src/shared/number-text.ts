/** A whole number as in `200,000`. Unlike Intl, it loads no languages, which takes 10 ms. */
export function withCommas(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}
