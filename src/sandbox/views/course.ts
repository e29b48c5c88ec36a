import type * as z from 'zod';
import type { course } from '../../contract/courses.ts';
import type { Academy } from '../state/academy.ts';
import type { CourseRecord } from '../state/catalogue.ts';
import { coverUrl } from './cover-url.ts';

export function courseBody(academy: Academy, record: CourseRecord): z.infer<typeof course> {
  return {
    id: record.id,
    title: record.title,
    description: record.description,
    slug: record.slug,
    sold_separately: record.sold_separately,
    price: record.price,
    is_published: record.is_published,
    is_challenge: record.is_challenge,
    cover_image_url: coverUrl('courses', record.slug, 'large'),
    cover_image_thumbnail_url: coverUrl('courses', record.slug, 'thumbnail'),
    stock_photo_image_url: coverUrl('courses', record.slug, 'stock'),
    lesson_count: academy.lessons.ofCourse(record.id).length,
  };
}
