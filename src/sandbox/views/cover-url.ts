/** An invented URL without an image. */
export function coverUrl(kind: string, slug: string, size: 'large' | 'thumbnail' | 'stock'): string {
  return `https://images.example.com/${kind}/${slug}/${size}.jpg`;
}
