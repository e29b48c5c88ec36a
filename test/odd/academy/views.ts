import { type Academy, shaped } from './rules.ts';
import {
  iso,
  type Json,
  type Kind,
  type Lesson,
  type Order,
  type Post,
  type Product,
  productOf,
  type State,
  type Student,
} from './state.ts';

export function titled({ products }: Pick<State, 'products'>, kind: Kind, ids: readonly number[]): Json[] {
  return ids.map((id) => ({ id, title: productOf({ products }, kind, id)?.attributes.title }));
}

export function orderView(order: Order, academy: Academy): Json {
  const { state } = academy;
  const name = state.students.find(({ id }) => id === order.student)?.name ?? '';
  const [first, ...others] = name.split(' ');
  const shown: Json = {
    id: order.id,
    amount: order.amount,
    currency: order.currency,
    description: 'Order',
    user_email: order.email,
    user_name: name,
    user_first_name: first,
    user_last_name: others.join(' '),
    status: order.status,
    affiliate_id: null,
    courses: titled(state, 'course', order.courses),
    digital_products: titled(state, 'digital_product', order.digitals),
    bundles: titled(state, 'bundle', order.bundles),
    billing_city: 'Springfield',
    billing_state: null,
    billing_country: order.country,
    billing_street: 'High Street 1',
    billing_zip: '12345',
    billing_company: null,
    billing_phone: null,
    created_at: iso(order.at),
    updated_at: iso(order.at),
  };
  return shaped(academy, shown, (rules, value) => rules.order?.(value, order, academy));
}

export function totalCompletion({ percents }: Student): number {
  const all = [...percents.values()];
  return all.length === 0 ? 0 : Math.floor(all.reduce((sum, percent) => sum + percent, 0) / all.length);
}

export function studentView(student: Student, academy: Academy): Json {
  const shown: Json = {
    id: student.id,
    name: student.name,
    email: student.email,
    created_at: iso(student.at),
    location: null,
    facebook_link: null,
    twitter_link: null,
    enrolled: student.percents.size > 0,
    admin: false,
    is_active: true,
    sign_in_count: student.id % 7,
    points: student.id * 3,
    completion_percent: totalCompletion(student),
  };
  return shaped(academy, shown, (rules, value) => rules.student?.(value, student));
}

export function listItem({ id, attributes }: Product): Json {
  return { id, title: attributes.title };
}

export function priceItem({ id, attributes: { title, price } }: Product): Json {
  return { id, title, price };
}

export function unified({ kind, id, slug, isChallenge, attributes }: Product): Json {
  const product_type = isChallenge ? 'challenge' : kind;
  return {
    product_type,
    id,
    title: attributes.title,
    slug,
    is_challenge: isChallenge,
    attributes,
    truncated_attributes: [],
  };
}

export function lessonView({ id, module, course, sequence, fields }: Lesson): Json {
  return { id, course_id: course, module_id: module, sequence, ...fields };
}

export function lessonSummary({ id, sequence, fields }: Lesson): Json {
  const { title, is_published, lesson_type = 'Text' } = fields;
  return { id, title, sequence, is_published, lesson_type };
}

export function postView(post: Post, academy: Academy): Json {
  const shown: Json = {
    id: post.id,
    content: post.content,
    created_at: iso(post.at),
    updated_at: iso(post.at),
    published_at: iso(post.at),
    share_url: `https://academy.example.com/posts/${post.id}`,
    topic: { id: post.topic, title: `Topic ${post.topic}`, slug: `topic-${post.topic}`, path: `/topics/${post.topic}` },
    author: { name: `Member ${post.author}`, slug: `member-${post.author}` },
  };
  return shaped(academy, shown, (rules, value) => rules.post?.(value, post));
}
