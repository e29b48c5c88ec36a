import type { Saboteurs } from '../../task.ts';
import { misquotes } from '../../wrong.ts';

export const saboteurs: Saboteurs = {
  said: {
    'counts a post of June': misquotes('9 posts', '10 posts'),
    'counts posts as people': misquotes('by 8 people', 'by 9 people'),
    'names another writer': misquotes('Olivia Hayes', 'Hannah Hayes'),
  },
};
