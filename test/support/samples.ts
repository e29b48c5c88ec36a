import { structureOf } from '../../src/insights/outline/course.ts';
import { versionOf } from '../../src/insights/outline/course-version.ts';
import { coursesHandlers } from '../../src/sandbox/handlers/courses.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { at, type Row } from './academy.ts';
import { examples } from './every-call.ts';

/** A call for each tool that the sandbox answers: its example, or one with as many arguments as can be combined. */
export function sampleCalls({ academy }: Sandbox): Record<string, Row> {
  const student = at(academy.students.all(), 2);
  const lesson = at(academy.lessons.ofCourse(1), 0);
  const { email, name } = student;
  const lessonFields = {
    title: 'A lesson | with a bar',
    content: 'Two\nlines',
    is_published: true,
    lesson_type: 'Text',
    points: 5,
    sequence: 2,
    learning_objective: 'To see it work',
    video_embed: '<iframe></iframe>',
    video_url: 'https://videos.example.com/1',
    release_day: 3,
    requires_unlock: false,
  };
  const times = { created_after: '2020-01-01T00:00:00Z', created_before: '2100-01-01T00:00:00Z' };
  // Of a course that no other call changes.
  const structure = structureOf(coursesHandlers['courses.getCourseStructure']({ course_id: 3 }, academy));
  const [{ module_id, lessons } = { module_id: null, lessons: [] }] = structure.lists;
  const moves = [{ lesson_id: lessons.at(-1)?.id, module_id, position: 1 }];
  return {
    ...examples,
    create_lesson: { course_id: 1, module_id: lesson.module_id, ...lessonFields },
    update_lesson: { lesson_id: lesson.id, module_id: null, ...lessonFields },
    search_products: { query: 'a', product_type: 'course', limit: 2 },
    get_product: { product_type: 'course', id_or_slug: 1 },
    update_product: { product_type: 'course', id_or_slug: 1, title: 'Renamed', price: '12.50', days_of_access: 30 },
    search_channels: { query: 'a', limit: 2 },
    get_channel: { id_or_slug: 3 },
    search_posts: { id_or_slug: 3, query: 'e', links: true, ...times, page: 1, per_page: 3 },
    create_channel: { name: 'New', description: 'Two\nlines', group_id: 1, locked: true },
    update_channel: { id_or_slug: 3, name: 'Renamed', description: 'Other', group_id: 2, locked: false },
    list_orders: { status: 'all', ...times, page: 1, per_page: 3, detail: 'full' },
    enroll_student: { email, name, course_id: 1, bundle_id: 1 },
    revoke_course: { email, name, course_id: 1, confirm: true },
    revoke_bundle: { email, bundle_id: 1, confirm: true },
    plan_course_outline: { course_id: 3, moves, lessons: [{ lesson_id: lessons[0]?.id, is_published: false }] },
    apply_course_outline: { course_id: 3, moves, base_version: versionOf(structure), confirm: true },
    find_buyers: {
      product: '1',
      product_type: 'course',
      ...times,
      timezone: 'Europe/Lisbon',
      limit: 3,
      detail: 'full',
    },
    sales_report: { group_by: 'country', ...times, include_granted: true },
    unpaid_orders: { limit: 3 },
    student_profile: { email, max_requests: 20 },
    diagnose_access: { email, product: '1', product_type: 'course' },
    course_progress: { course_id: 1, ...times, bands: [50], limit: 3, max_requests: 200 },
    community_digest: { channels: ['3'], period: 'all_time', limit: 3, max_requests: 60 },
    sync_roster: { students: [{ email, name }], products: ['course 1', 'bundle 1'], confirm: true },
    offboard_student: { email, role_ids: [1], confirm: true },
    reset_course_progress: { email, course_id: 1, confirm: true },
    reset_bundle_progress: { email, bundle_id: 1, confirm: true },
  };
}
