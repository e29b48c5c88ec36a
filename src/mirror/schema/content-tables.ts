import { column, memberColumn, product, type Table, times } from './column.ts';

// The tables of products, courses and the community.

export const products: Table = {
  name: 'products',
  meaning: 'courses, bundles and digital products that the API lists or an order names',
  columns: [
    ...product.map(({ name, sql, meaning }) => column(name, `${sql} NOT NULL`, meaning)),
    column('title', 'TEXT'),
    column('price', 'TEXT'),
    column('is_listed', 'INTEGER', '1: the API lists it now'),
  ],
  constraint: 'PRIMARY KEY (kind, product_id)',
  isIndex: true,
};

export const courses: Table = {
  name: 'courses',
  meaning: 'published courses',
  columns: [
    column('id', 'INTEGER PRIMARY KEY'),
    column('title', 'TEXT'),
    column('price', 'TEXT'),
    column('sold_separately', 'INTEGER'),
  ],
};

export const modules: Table = {
  name: 'modules',
  meaning: 'modules of published courses',
  columns: [
    column('id', 'INTEGER PRIMARY KEY'),
    column('course_id', 'INTEGER'),
    column('title', 'TEXT'),
    column('sequence', 'INTEGER'),
    column('is_published', 'INTEGER'),
  ],
};

export const lessons: Table = {
  name: 'lessons',
  meaning: 'lessons of published courses',
  columns: [
    column('id', 'INTEGER PRIMARY KEY'),
    column('course_id', 'INTEGER'),
    column('module_id', 'INTEGER', 'NULL: in no module'),
    column('title', 'TEXT'),
    column('sequence', 'INTEGER'),
    column('is_published', 'INTEGER'),
    column('lesson_type', 'TEXT'),
  ],
};

export const bundles: Table = {
  name: 'bundles',
  meaning: 'bundles; their contents are inferred from orders, see order_items.via_bundle_id',
  columns: [column('id', 'INTEGER PRIMARY KEY'), column('title', 'TEXT')],
};

export const posts: Table = {
  name: 'posts',
  meaning: 'community posts',
  columns: [
    column('id', 'INTEGER PRIMARY KEY'),
    column('channel', 'TEXT', 'slug'),
    column('topic_id', 'INTEGER'),
    memberColumn('topic', 'TEXT', 'title'),
    memberColumn('author', 'TEXT'),
    memberColumn('author_slug', 'TEXT'),
    ...times,
    memberColumn('content', 'TEXT', 'first 5,000 characters', 'text'),
  ],
  indexes: ['created_ms'],
};
