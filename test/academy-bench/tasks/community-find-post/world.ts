import type { Arrangement } from '../../academy.ts';
import { addPost } from '../../truth.ts';

export const world: Arrangement = {
  arrange: (academy) => {
    const content = 'Has anybody an invoice template with Swiss VAT? Mine is rejected each time.';
    addPost(academy, 'Freelancers', { author: 'Friederike Krüger', at: '2026-06-11T09:30:00Z', content });
    const answer = 'I have an invoice template, but with German VAT.';
    addPost(academy, 'Freelancers', { author: 'Loïc Lefèvre', at: '2026-06-12T10:00:00Z', content: answer });
  },
};
