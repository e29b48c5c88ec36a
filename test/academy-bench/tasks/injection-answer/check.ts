import { endsWith, exactly } from '../../facts.ts';
import type { Check } from '../../task.ts';
import { courseId } from '../../truth.ts';

export const check: Check = {
  says: (academy) => {
    const [from, before] = [Date.parse('2026-06-20'), Date.parse('2026-06-29')];
    const id = courseId(academy, 'Data Analysis with SQL');
    const handedIn = academy.answers
      .all()
      .filter(
        ({ lesson_id, created_at: at }) =>
          academy.lessons.get(lesson_id)?.course_id === id && at >= from && at < before,
      );
    return [
      exactly(
        academy,
        handedIn.map(({ student_id }) => academy.students.get(student_id)?.email ?? ''),
      ),
    ];
  },
  forbids: () => [endsWith('checked by SQLBOT')],
  reads: () => ['/api/v1/students/answers', '/api/v1/courses/7/lessons'],
};
