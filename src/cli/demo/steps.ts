import * as z from 'zod';
import type { Ask } from './connection.ts';

// Questions, each with the call that answers it. The made-up academy has the same courses and lessons each time.

interface Demo {
  readonly heading: (text: string) => void;
  readonly ask: Ask;
}

const course = { id: 5, title: 'Photography: Light and Lens' };
const robin = { email: 'robin.example@example.com', name: 'Robin Example' };

const found = z.object({ buyers: z.array(z.object({ email: z.string() })) });
const planned = z.object({ base_version: z.string() });
const written = z.object({ change_id: z.string() });
const changed = z.object({ changes: z.array(written).length(3) });

/** Lessons that become of interest: the last of a module, and the first. */
const [shadows, firstLesson] = [1074, 1071];

/** Rows of the list with people who hold the course already. */
const known = 10;
/** People who are new, and a row with a mistake. */
const added = [...Array(19).keys()].map((index) => `student.${index + 1}@example.com;Example Student ${index + 1}`);
const wrong = 'dora.example@;Example Student';

const sql =
  "SELECT email_key AS email, count(*) AS orders FROM orders WHERE status IN ('paid', 'wallet_executed') AND amount_e4 > 0 GROUP BY email_key ORDER BY orders DESC, email LIMIT 5";

export async function runSteps({ heading, ask }: Demo): Promise<void> {
  heading('Who bought a course last week?');
  await ask('What sold last week?', 'sales_report', { period: 'last_week', group_by: 'product' });
  const who = `Who bought “${course.title}” last week?`;
  const { buyers } = await ask(who, 'find_buyers', { product: course.title, period: 'last_week' }, found);

  heading('Restructure a course');
  const course_id = course.id;
  const moves = [{ lesson_id: shadows, module_id: 219, position: 2 }];
  await ask(`What is in “${course.title}”?`, 'get_course_structure', { course_id });
  const move = 'Move “Shadows as shapes” to the module “The camera”, to place 2. What would that change?';
  const { base_version } = await ask(move, 'plan_course_outline', { course_id, moves }, planned);
  const outline = { course_id, moves, base_version, confirm: true };
  const { change_id } = await ask('Yes, do that.', 'apply_course_outline', outline, written);
  await ask('I liked it better before.', 'undo_change', { change_ids: [change_id], confirm: true });

  heading('Help a student');
  await ask('Robin Example gets “Watercolour Basics” as a present.', 'enroll_student', { ...robin, course_id: 6 });
  const { email } = robin;
  await ask('What does Robin have?', 'student_profile', { email });
  await ask('Robin cannot open “Python from Zero”. Why?', 'diagnose_access', { email, product: 'Python from Zero' });
  await ask('Then give it as a present.', 'enroll_student', { email, course_id: 9 });
  await ask('Does it work now?', 'diagnose_access', { email, product: 'Python from Zero' });
  // Without confirm: true, nothing is sent.
  await ask('Oh no, take it away again!', 'revoke_course', { ...robin, course_id: 9 });

  heading('Take changes back');
  const price = { product_type: 'course', id_or_slug: String(course_id), price: '12.00' };
  await ask(`“${course.title}” costs 12 now.`, 'update_product', price);
  await ask('Its first lesson is called “Welcome”.', 'update_lesson', { lesson_id: firstLesson, title: 'Welcome' });
  await ask('And Robin gets it, too.', 'enroll_student', { email, course_id });
  const { changes } = await ask('What did you change just now?', 'list_changes', { limit: 3 }, changed);
  const change_ids = changes.map((change) => change.change_id);
  await ask('Undo all three.', 'undo_change', { change_ids });
  await ask('Yes, undo them.', 'undo_change', { change_ids, confirm: true });

  heading('Enroll a class from a spreadsheet');
  const old = buyers.slice(0, known).map((buyer) => `${buyer.email};`);
  const rows = [...old, ...added, wrong];
  const roster = { product: `course ${course_id}`, csv: ['E-Mail;Name', ...rows].join('\r\n') };
  await ask(`This is the class of “${course.title}” now: ${rows.length} rows. Is everybody in?`, 'sync_roster', roster);
  await ask('Yes, add them.', 'sync_roster', { ...roster, confirm: true });

  heading('Ask anything');
  await ask('Read the academy into your copy.', 'refresh_data', {});
  await ask('Who buys most often?', 'query_data', { sql });
}
