import type { Saboteurs } from '../../task.ts';
import { also, does } from '../../wrong.ts';

const done = 'Variations has seven lessons now.';
const into = (lesson_id: number, sequence: number) =>
  ['update_lesson', { lesson_id, module_id: 238, sequence }] as const;

export const saboteurs: Saboteurs = {
  state: {
    'moves two of three': does(done, into(1175, 4), into(1176, 5)),
    'turns their order around': does(done, into(1177, 4), into(1176, 5), into(1175, 6)),
    'takes them out of any module': does(
      done,
      ...[1175, 1176, 1177].map((lesson_id) => ['update_lesson', { lesson_id, module_id: null }] as const),
    ),
    'moves one more': also('update_lesson', { lesson_id: 1170, module_id: 238, sequence: 7 }),
  },
};
