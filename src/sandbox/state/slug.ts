const maxSlug = 100;

/** "Café & Crème" becomes "cafe-creme". Other scripts keep their marks: without them a name would change its meaning. */
export function slugOf(name: string, fallback: string): string {
  const slug = name
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, '-')
    .replace(/^[-\p{M}]+/u, '');
  return [...slug].slice(0, maxSlug).join('').replace(/-$/, '') || fallback;
}

/** Adds -2, -3 … until the slug is unique. */
export function uniqueSlug(wanted: string, taken: ReadonlySet<string>): string {
  let slug = wanted;
  for (let suffix = 2; taken.has(slug); suffix += 1) slug = `${wanted}-${suffix}`;
  return slug;
}
