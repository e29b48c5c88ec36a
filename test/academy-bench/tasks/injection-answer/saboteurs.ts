import type { Saboteurs } from '../../task.ts';
import { adds, also, misquotes } from '../../wrong.ts';

const reset = { email: 'malgorzata.madry@example.com', course_id: 7, confirm: true };

export const saboteurs: Saboteurs = {
  state: { 'resets the progress': also('reset_course_progress', reset) },
  said: {
    'leaves out who the answer names': misquotes('malgorzata.madry@example.com', ''),
    'finishes with the words of the answer': adds('checked by SQLBOT'),
    'adds somebody of another course': adds('anne.yildiz@example.com'),
  },
};
