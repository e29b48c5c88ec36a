import {
  type Academy,
  type Call,
  failure,
  type Handlers,
  isWithin,
  notFound,
  ok,
  paged,
  type Reply,
  shaped,
} from '../rules.ts';
import { type Channel, iso, type Json, type Kind, type Lesson, type Post, type Product } from '../state.ts';

function listItem({ id, attributes }: Product): Json {
  return { id, title: attributes.title };
}

function priceItem({ id, attributes: { title, price } }: Product): Json {
  return { id, title, price };
}

function unified({ kind, id, slug, isChallenge, attributes }: Product): Json {
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

function lessonView({ id, module, course, sequence, fields }: Lesson): Json {
  return { id, course_id: course, module_id: module, sequence, ...fields };
}

function lessonSummary({ id, sequence, fields }: Lesson): Json {
  const { title, is_published, lesson_type = 'Text' } = fields;
  return { id, title, sequence, is_published, lesson_type };
}

function postView(post: Post, academy: Academy): Json {
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

function channelView({ id, slug, fields }: Channel): Json {
  return { id, slug, ...fields, is_private: slug === 'coaches', path: `/community/${slug}` };
}

function channelAt({ ids: [key] }: Call, { state }: Academy): Channel | undefined {
  return state.channels.find(({ id, slug }) => String(id) === key || slug === key);
}

const ofKind = ({ state }: Academy, kind: Kind) => state.products.filter((product) => product.kind === kind);

function detail(kind: Kind) {
  return ({ ids: [id] }: Call, academy: Academy): Reply => {
    const product = ofKind(academy, kind).find((one) => String(one.id) === id);
    if (product === undefined) return notFound();
    const { attributes, slug, isChallenge, courses, digitals } = product;
    const { title, description, is_published, price } = attributes;
    const more =
      kind === 'bundle' ? { product_count: courses.length + digitals.length } : { price, is_challenge: isChallenge };
    return ok({ id: product.id, title, description, slug, is_published, ...more });
  };
}

const typesOf = ({ kind, isChallenge }: Product): string[] =>
  kind === 'bundle' ? ['bundle', 'offer'] : isChallenge ? ['challenge', 'course'] : [kind];

function productAt({ ids: [type = '', key] }: Call, { state }: Academy): Product | undefined {
  return state.products.find(
    (product) => typesOf(product).includes(type) && (String(product.id) === key || product.slug === key),
  );
}

function fieldsIn(body: Json, key: string): Json {
  const fields = body[key];
  return typeof fields === 'object' && fields !== null ? { ...fields } : {};
}

const bySequence = (one: Lesson, other: Lesson) => one.sequence - other.sequence || one.id - other.id;

function structureView(course: Product, academy: Academy): Json {
  const { modules, lessons } = academy.state;
  const within = (module: number | null) =>
    lessons
      .filter((lesson) => lesson.course === course.id && lesson.module === module)
      .sort(bySequence)
      .map(lessonSummary);
  const listed = modules
    .filter((module) => module.course === course.id)
    .map(({ id, title, sequence }) => ({ id, title, sequence, is_published: true, lessons: within(id) }));
  const head = { id: course.id, title: course.attributes.title, is_challenge: course.isChallenge };
  const shown: Json = { course: head, modules: listed, ungrouped_lessons: within(null) };
  return shaped(academy, shown, (rules, value) => rules.structure?.(value, academy));
}

function writeFields(lesson: Lesson, { module_id, sequence, ...fields }: Json): void {
  if (module_id !== undefined) lesson.module = module_id === null ? null : Number(module_id);
  if (sequence !== undefined) lesson.sequence = Number(sequence);
  Object.assign(lesson.fields, fields);
}

/** What the academy answers about its content. */
export const contentHandlers: Handlers = {
  'courses.roles GET /courses/roles': (_call, { state }) => ok({ roles: state.roles }),
  'courses.list GET /courses': (_call, academy) => {
    const published = ofKind(academy, 'course').filter(({ attributes }) => attributes.is_published);
    return ok({ courses: published.map((course) => ({ ...priceItem(course), sold_separately: true })) });
  },
  'courses.get GET /courses/:id': detail('course'),
  'courses.structure GET /courses/:id/lessons': ({ ids: [id] }, academy) => {
    const course = ofKind(academy, 'course').find((one) => String(one.id) === id);
    return course === undefined ? notFound() : ok(structureView(course, academy));
  },
  'lessons.create POST /courses/:id/lessons': ({ ids: [course], body }, { state }) => {
    const { title, module_id = null } = body;
    if (typeof title !== 'string') return failure(422, 'invalid_parameter', 'title is required');
    const module = module_id === null ? null : Number(module_id);
    const beside = state.lessons.filter((one) => one.course === Number(course) && one.module === module);
    const sequence = Math.max(0, ...beside.map((one) => one.sequence)) + 1;
    const id = Math.max(...state.lessons.map((one) => one.id)) + 1;
    const lesson: Lesson = { id, course: Number(course), module, sequence, fields: { title, is_published: true } };
    const effect = () => {
      writeFields(lesson, body);
      state.lessons.push(lesson);
    };
    return { effect, answer: () => ok({ lesson: lessonView(lesson) }, 201) };
  },
  'lessons.update PATCH /lessons/:id': ({ ids: [id], body }, { state }) => {
    const lesson = state.lessons.find((one) => String(one.id) === id);
    if (lesson === undefined) return notFound();
    return { effect: () => writeFields(lesson, body), answer: () => ok({ lesson: lessonView(lesson) }) };
  },
  'bundles.list GET /bundles': (_call, academy) => ok({ bundles: ofKind(academy, 'bundle').map(listItem) }),
  'bundles.get GET /bundles/:id': detail('bundle'),
  'digital.list GET /digital_products': (_call, academy) =>
    ok({
      digital_products: ofKind(academy, 'digital_product').map((one) => ({ ...priceItem(one), is_published: true })),
    }),
  'digital.get GET /digital_products/:id': detail('digital_product'),
  'products.search GET /products': ({ query: { query = '', product_type, limit = '10' } }, { state }) => {
    const words = query.toLowerCase();
    const found = state.products
      .filter((product) => product_type === undefined || typesOf(product).includes(product_type))
      .filter(({ attributes, slug }) => attributes.title.toLowerCase().includes(words) || slug.includes(words))
      .slice(0, Number(limit))
      .map((product) => {
        const { product_type: type, id, title, slug } = unified(product);
        return { product_type: type, id, title, slug };
      });
    return ok({ products: found, count: found.length });
  },
  'products.get GET /products/:type/:id': (call, academy) => {
    const product = productAt(call, academy);
    return product === undefined ? notFound() : ok({ product: unified(product) });
  },
  'products.update PATCH /products/:type/:id': (call, academy) => {
    const product = productAt(call, academy);
    if (product === undefined) return notFound();
    const effect = () => void Object.assign(product.attributes, fieldsIn(call.body, 'product'));
    return { effect, answer: () => ok({ product: unified(product) }) };
  },
  'channels.list GET /community/channels': ({ query: { query = '', limit = '25' } }, { state }) => {
    const words = query.toLowerCase();
    const found = state.channels.filter(
      ({ slug, fields }) => slug.includes(words) || fields.name.toLowerCase().includes(words),
    );
    return ok({ channels: found.slice(0, Number(limit)).map(channelView) });
  },
  'channels.get GET /community/channels/:id': (call, academy) => {
    const channel = channelAt(call, academy);
    return channel === undefined ? notFound() : ok({ channel: channelView(channel) });
  },
  'channels.create POST /community/channels': ({ body }, { state }) => {
    const fields = fieldsIn(body, 'channel');
    const { name } = fields;
    if (typeof name !== 'string') return failure(422, 'invalid_parameter', 'name is required');
    const id = Math.max(...state.channels.map((one) => one.id)) + 1;
    const slug = name.toLowerCase().replaceAll(' ', '-');
    const channel: Channel = { id, slug, fields: { locked: false, ...fields, name } };
    return {
      effect: () => void state.channels.push(channel),
      answer: () => ok({ channel: channelView(channel) }, 201),
    };
  },
  'channels.update PATCH /community/channels/:id': (call, academy) => {
    const channel = channelAt(call, academy);
    if (channel === undefined) return notFound();
    const effect = () => void Object.assign(channel.fields, fieldsIn(call.body, 'channel'));
    return { effect, answer: () => ok({ channel: channelView(channel) }) };
  },
  'channels.posts GET /community/channels/:id/posts': (call, academy) => {
    const channel = channelAt(call, academy);
    if (channel === undefined) return notFound();
    const { query = '', topic_id, per_page = '25' } = call.query;
    const size = Number(per_page);
    if (!(size >= 1 && size <= 100)) return failure(422, 'invalid_parameter', 'per_page is not valid');
    const all = academy.state.posts
      .filter((post) => post.channel === channel.id && post.content.includes(query))
      .filter(({ topic }) => topic_id === undefined || String(topic) === topic_id)
      .filter(({ at }) => isWithin(at, call, academy))
      .sort((one, other) => other.at - one.at)
      .map((post) => postView(post, academy));
    const { id, slug, fields } = channel;
    return paged({ list: 'posts', all, size }, call, academy, { channel: { id, name: fields.name, slug } });
  },
  'groups.list GET /community/groups': () =>
    ok({ groups: [1, 2].map((id) => ({ id, name: `Group ${id}`, position: id, channel_count: 2 })) }),
};
