import { lastBuyer, makeOrders, persons } from './orders-data.ts';
import { makeProducts } from './products-data.ts';
import { createRandom } from './random.ts';
import type { Channel, Lesson, Module, Order, Post, State, Student } from './state.ts';

const day = 86_400_000;
const studentCount = 110;
const first = ['Ana', 'Ben', 'Cora', 'Dan', 'Eva', 'Finn', 'Gita', 'Hugo', 'Iris', 'Jon'];
const last = ['Abel', 'Brandt', 'Costa', 'Dahl', 'Evers', 'Faro', 'Gruber', 'Hahn', 'Ibsen', 'Jung', 'Klee'];

function makeStudent(id: number, now: number): Student {
  const name = `${first[id % 10]} ${last[id % 11]}`;
  const email =
    id === persons.capitals ? 'Mira.Capital@Example.com' : `${name.toLowerCase().replace(' ', '.')}.${id}@example.com`;
  const at = Math.floor((now - (studentCount + 5 - id) * 7 * day) / 1000) * 1000;
  return { id, name, email, at, paying: id <= lastBuyer, percents: new Map(), roles: new Set(id === 1 ? [2] : []) };
}

/** Progress in each course of a student. */
function addProgress(students: readonly Student[], orders: readonly Order[]): void {
  const random = createRandom(11);
  const byId = new Map(students.map((student) => [student.id, student]));
  for (const { student, courses, status } of [...orders].reverse()) {
    if (status !== 'paid' && status !== 'wallet_executed') continue;
    for (const course of courses)
      byId.get(student)?.percents.set(course, random.pick([0, 0, 8, 23, 41, 54, 66, 87, 100, 100]));
  }
  for (const student of students)
    if (student.id % 13 === 1) for (const id of student.percents.keys()) student.percents.set(id, 100);
}

/** Ids do not follow the order of the lessons. */
function makeLessons(): { modules: Module[]; lessons: Lesson[] } {
  const sizes: [course: number, module: number | null, lessons: number][] = [
    [11, 201, 4],
    [11, 202, 3],
    [11, 203, 2],
    [11, null, 2],
    [12, 204, 3],
    [12, 205, 2],
  ];
  const modules = sizes.flatMap(([course, id], index) =>
    id === null ? [] : [{ id, course, title: `Part ${id}`, sequence: index + 1 }],
  );
  const lessons = sizes.flatMap(([course, module, size], list) =>
    Array.from({ length: size }, (_, index): Lesson => {
      const id = 700 + list * 10 + ((index * 3 + 2) % 5);
      const fields = { title: `Lesson ${list}-${index}`, is_published: index !== 1, lesson_type: 'Text', points: 5 };
      return { id, course, module, sequence: index + 1, fields };
    }),
  );
  return { modules, lessons };
}

const postCounts: [channel: number, posts: number, topics: number][] = [
  [61, 110, 30],
  [62, 18, 9],
  [63, 10, 4],
  [64, 0, 0],
];

function makeChannels(): Channel[] {
  return ['general', 'help', 'wins', 'coaches'].map((slug, index) => ({
    id: 61 + index,
    slug,
    fields: { name: slug.toUpperCase(), description: `All about ${slug}`, locked: false, group_id: 1 + (index % 2) },
  }));
}

/** 138 posts of the last 60 days; the last topic of each channel has one post. */
function makePosts(now: number): Post[] {
  const random = createRandom(3);
  return postCounts.flatMap(([channel, posts, topics]) =>
    Array.from({ length: posts }, (_, index): Post => {
      const topic = channel * 100 + (index === 3 ? topics : random.whole(1, topics - 1));
      const at = Math.floor((now - 1_800_000 - index * ((59 * day) / posts) - channel * 1000) / 1000) * 1000;
      return {
        id: channel * 1000 + posts - index,
        channel,
        topic,
        author: random.whole(1, 20),
        at,
        content: `Post ${index}`,
      };
    }),
  );
}

/** Returns the same data for the same time. */
export function makeState(now: number): State {
  const products = makeProducts();
  const students = Array.from({ length: studentCount }, (_, index) => makeStudent(index + 1, now));
  const orders = makeOrders(products, students, now);
  addProgress(students, orders);
  const roles = ['Mentor', 'Moderator', 'Guest'].map((name, index) => ({ id: index + 1, name }));
  return { products, students, orders, ...makeLessons(), channels: makeChannels(), posts: makePosts(now), roles };
}
