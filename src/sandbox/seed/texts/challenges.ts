import type { CourseText } from './course-text.ts';

export const challenges: readonly CourseText[] = [
  {
    id: 13,
    title: 'Thirty Days of Drawing',
    price: '29.00',
    demand: 4,
    daysOfAccess: 60,
    pitch: 'One small drawing a day, ten minutes each. Bad days count.',
    modules: [
      ['Week 1: lines', 'A cup | Your shoe | A chair | Keys | A leaf | Your other hand | Something broken'],
      ['Week 2: shapes', 'Three books | A bottle | Bread | A lamp | A bag | Scissors | What is in your pocket'],
      ['Week 3: light', 'An egg | A window | A candle | A fold of cloth | Rain | A shadow | A face in a spoon'],
      ['Week 4: places', 'A door | The kitchen | A tree | A street corner | A bus stop | A roof | The view from bed'],
    ],
    ungrouped: 'Rules of the challenge | Day 29: from memory | Day 30: the first one again',
  },
  {
    id: 14,
    title: 'Seven-Day Writing Sprint',
    price: '19.00',
    demand: 3,
    daysOfAccess: 30,
    pitch: 'A finished text in a week: one step in the morning, one in the evening.',
    modules: [
      [
        'Find it',
        'Day 1, morning: a list | Day 1, evening: choose | Day 2, morning: questions | Day 2, evening: an outline',
      ],
      [
        'Write it',
        'Day 3, morning: the middle | Day 3, evening: go on | Day 4, morning: the end | Day 4, evening: the start | Day 5: a day off',
      ],
      [
        'Finish it',
        'Day 6, morning: read aloud | Day 6, evening: cut | Day 7, morning: a title | Day 7, evening: send it',
      ],
    ],
    ungrouped: 'Before you start | Badges and points',
  },
  {
    id: 15,
    title: 'Inbox Reset Week',
    price: '15.00',
    demand: 0,
    sale: 'draft',
    daysOfAccess: 14,
    pitch: 'Five evenings, one empty inbox.',
    modules: [
      ['Clear', 'Count first | The great archive | Newsletters, goodbye | Folders you will not miss | Three labels'],
      ['Answer', 'Two-minute answers | Saying later | Saying no | Templates | A closing hour'],
      ['Keep it', 'Rules | Mornings without mail | Holidays | Teaching the others'],
    ],
    ungrouped: 'How the week works',
  },
];
