/** "Café & Crème" becomes "cafe-creme". Letters of other scripts stay, so no name ends up without a slug. */
export function slugOf(name: string, fallback: string): string {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');
  return slug.slice(0, 100) || fallback;
}

/** Adds -2, -3 … until nobody else has it. */
export function uniqueSlug(wanted: string, taken: ReadonlySet<string>): string {
  let slug = wanted;
  for (let suffix = 2; taken.has(slug); suffix += 1) slug = `${wanted}-${suffix}`;
  return slug;
}
