import type { AcademyData, AcademySettings } from '../state/academy.ts';
import { OrderBook } from '../state/orders.ts';
import { Progress } from '../state/progress.ts';
import { createCalendar } from './calendar.ts';
import { seedCatalogue } from './catalogue.ts';
import { seedCommunity } from './community.ts';
import { seedAnswers, seedProjectPosts } from './contributions.ts';
import { seedLessons } from './lessons.ts';
import { orderIds } from './order-ids.ts';
import { seedOrders } from './orders.ts';
import { createRandom } from './random.ts';
import { seedActivity, seedStudents } from './students.ts';
import { academyNames } from './texts/products.ts';

/** All data of an academy at `now`. Depends only on the settings. */
export function seedAcademy(settings: AcademySettings): AcademyData {
  const key = `${settings.seed}|${settings.subdomain}`;
  const now = settings.now.getTime();
  const source = { key, now, calendar: createCalendar(now) };
  const catalogue = seedCatalogue(now);
  const lessons = seedLessons();
  const students = seedStudents(source, settings.students);
  const orders = new OrderBook(orderIds(key));
  const progress = new Progress();
  const data = { ...source, catalogue, lessons, students, orders, progress };
  seedOrders(data, settings.orders);
  seedActivity(data);
  return {
    key,
    appName: createRandom(key, 'name').pick(academyNames),
    catalogue,
    lessons,
    students,
    orders,
    progress,
    community: seedCommunity(data),
    answers: seedAnswers(data),
    projectPosts: seedProjectPosts(data),
  };
}
