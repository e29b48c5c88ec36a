import type { Json, Kind, Product } from './state.ts';

function product(kind: Kind, id: number, title: string, price: string, more: Partial<Product> = {}): Product {
  const slug = title.toLowerCase().replaceAll(' ', '-');
  const attributes: Json & { title: string; is_published: boolean } = {
    title,
    description: `About ${title}`,
    is_published: id !== 17,
    price,
    hidden: false,
    launch_date: null,
    days_of_access: null,
    join_button_text: 'Join',
  };
  return { kind, id, slug, isChallenge: false, courses: [], digitals: [], ...more, attributes };
}

export const challengeId = 18;

export function makeProducts(): Product[] {
  return [
    product('course', 11, 'Watercolour Basics', '49.90'),
    product('course', 12, 'Sourdough at Home', '39.00'),
    product('course', 13, 'Street Photography', '89.00'),
    product('course', 14, 'Calm Piano', '120.00'),
    product('course', 15, 'Garden Design', '59.50'),
    product('course', 16, 'Bookbinding', '25.00'),
    product('course', 17, 'Quiet Draft', '10.00'),
    product('course', challengeId, 'Thirty Day Sketch', '19.00', { isChallenge: true }),
    product('bundle', 31, 'Kitchen Bundle', '99.00', { courses: [12, 15], digitals: [51] }),
    product('bundle', 32, 'Studio Bundle', '149.00', { courses: [11, 13] }),
    product('bundle', 33, 'Everything Bundle', '1299.00', { courses: [11, 12, 13, 14, 15, 16], digitals: [52, 53] }),
    product('digital_product', 51, 'Recipe Cards', '9.90'),
    product('digital_product', 52, 'Brush Presets', '14.00'),
    product('digital_product', 53, 'Chord Sheets', '7.50'),
  ];
}
