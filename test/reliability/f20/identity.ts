type Fields = Readonly<Record<string, unknown>>;

/** The fields that tell the events of a kind apart. An order has its id, and no other event has one of its own. */
const fieldsOf: Readonly<Record<string, readonly string[]>> = {
  new_order: ['id'],
  new_student: ['email'],
  student_completed: ['email'],
  course_completed: ['email', 'course_id'],
  new_answer: ['email', 'lesson', 'question', 'answer'],
  new_project_post: ['email', 'post'],
};

/** A text for each event, the same for what the academy sent and for what a client reads, verified or not. */
export function identityOf(event: string, fields: Fields, untrusted: Fields = {}): string {
  const plain = (value: unknown) => String(value).replace(/\s+/g, ' ').trim().toLowerCase();
  return [event, ...(fieldsOf[event] ?? []).map((name) => plain(fields[name] ?? untrusted[name]))].join(' | ');
}

/** How often each text occurs. */
export function counted(texts: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}
