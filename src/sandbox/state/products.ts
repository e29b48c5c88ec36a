import type { ProductType } from '../../contract/products.ts';
import type { BundleRecord, CourseRecord, DigitalProductRecord, ProjectRecord } from '../seed/catalogue.ts';
import type { Academy } from './academy.ts';
import { findByIdOrSlug } from './collections.ts';

/** The types in responses: offer is a synonym of bundle. */
type StoredType = Exclude<ProductType, 'offer'>;

export interface FoundProduct {
  readonly type: StoredType;
  readonly record: CourseRecord | BundleRecord | DigitalProductRecord | ProjectRecord;
}

const onSale = ['title', 'description', 'is_published', 'price', 'hidden'];
const landing = ['preview_page', 'allow_purchase_from_landing', 'join_button_text'];
const course = [...onSale, 'launch_date', 'days_of_access', ...landing];

/** The attributes of each type. The document lists only those of projects; see docs/internals/api-assumptions.md. */
export const supportedAttributes: Readonly<Record<StoredType, readonly string[]>> = {
  course,
  challenge: course,
  digital_product: onSale,
  bundle: [...onSale, ...landing],
  project: ['title', 'description', 'course_id'],
};

export const storedType = (type: ProductType): StoredType => (type === 'offer' ? 'bundle' : type);

/** Courses and challenges, bundles, digital products, projects: each kind in the order of ids. */
export function allProducts({ catalogue }: Academy): FoundProduct[] {
  const of = (type: StoredType) => (record: FoundProduct['record']) => ({ type, record });
  return [
    ...catalogue.courses.all().map((record) => of(record.is_challenge ? 'challenge' : 'course')(record)),
    ...catalogue.bundles.all().map(of('bundle')),
    ...catalogue.digitalProducts.all().map(of('digital_product')),
    ...catalogue.projects.all().map(of('project')),
  ];
}

/** Undefined if the id or slug belongs to a product of another type. */
export function findProduct(academy: Academy, type: ProductType, key: string): FoundProduct | undefined {
  const own = allProducts(academy).flatMap((product) => (product.type === storedType(type) ? product.record : []));
  const record = findByIdOrSlug(own, key);
  return record && { type: storedType(type), record };
}

/** An invented URL without an image. */
export const coverUrl = (kind: string, slug: string, size: 'large' | 'thumbnail' | 'stock') =>
  `https://images.example.com/${kind}/${slug}/${size}.jpg`;
