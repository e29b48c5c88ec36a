/** A made-up address: nothing is served there. */
export function coverUrl(kind: string, slug: string, size: 'large' | 'thumbnail' | 'stock'): string {
  return `https://images.example.com/${kind}/${slug}/${size}.jpg`;
}
