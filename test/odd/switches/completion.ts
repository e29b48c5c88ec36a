import { failure, type Reply } from '../academy/call.ts';
import type { Rules } from '../academy/rules.ts';
import type { Switch } from './switch.ts';

function completion(
  name: string,
  kind: Switch['kind'],
  says: string,
  change: (reply: Reply, percent: number, student: number) => Reply,
): Switch {
  const rules: Rules = {
    after: (reply, { route }) => {
      if (route !== 'courses.completion' || reply.status !== 200) return reply;
      const { course_completion_percent: percent, id } = Object(reply.body);
      return change(reply, Number(percent), Number(id));
    },
  };
  const probes = [
    'course_progress',
    'get_course_completion',
    'student_profile/bundle',
    'student_profile/many',
    'diagnose_access/stranger',
  ];
  return { name: `completion-${name}`, class: 'completion', kind, says, probes, rules };
}

const shows = (name: string, kind: Switch['kind'], says: string, write: (percent: number) => unknown) =>
  completion(name, kind, says, (reply, percent) => ({
    ...reply,
    body: { ...Object(reply.body), course_completion_percent: write(percent) },
  }));

/** For every seventh student. */
const forSome = (name: string, kind: Switch['kind'], says: string, write: () => Reply) =>
  completion(name, kind, says, (reply, _percent, student) => (student % 7 === 3 ? write() : reply));

export const completionSwitches: readonly Switch[] = [
  shows('sign', 'open', '"54%"', (percent) => `${percent}%`),
  shows('part', 'departs', '0.54', (percent) => percent / 100),
  shows('decimal', 'open', '54.4', (percent) => (percent === 0 || percent === 100 ? percent : percent + 0.4)),
  shows('null-zero', 'open', 'null for students who have not started', (percent) => (percent === 0 ? null : percent)),
  forSome('422', 'open', '422 for some students', () => failure(422, 'not_enrolled', 'Student is not enrolled')),
  forSome('403', 'open', '403 for some students', () => failure(403, 'forbidden', 'Not allowed')),
  forSome('500', 'departs', '500 for some students', () => failure(500, 'internal', 'Something went wrong')),
];
