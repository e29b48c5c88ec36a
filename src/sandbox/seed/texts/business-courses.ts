import type { CourseText } from './products.ts';

export const businessCourses: readonly CourseText[] = [
  {
    id: 1,
    title: 'Spreadsheets for Busy People',
    price: '49.00',
    demand: 6,
    pitch: 'Stop fighting the grid. Build tidy sheets that others can read, check and reuse.',
    modules: [
      [
        'Find your way',
        'What a cell really holds | Moving without the mouse | Ranges and names | Numbers, text and dates',
      ],
      [
        'Formulas for every day',
        'SUM and its family | IF without tears | Looking things up | Counting what matters | When a formula fails',
      ],
      ['Tidy data', 'One row, one fact | Cleaning a messy export | Removing duplicates | Drop-down lists'],
      [
        'Showing the result',
        'A chart that says one thing | Conditional formats | A page that prints well | Sharing and protecting',
      ],
    ],
    ungrouped: 'Start here: how to use this course | Cheat sheet of shortcuts',
  },
  {
    id: 2,
    title: 'Bookkeeping for Freelancers',
    price: '79.00',
    demand: 5,
    pitch: 'An hour a month is enough. Know what you earn, what you owe and what you may spend.',
    modules: [
      [
        'Before the first invoice',
        'Why books at all? | Business money, private money | Choosing a simple tool | What to keep, and how long',
      ],
      ['Money in', 'An invoice that gets paid | Deposits and part payments | Reminders without anger | Clients abroad'],
      ['Money out', 'Receipts in one place | Tools, rent and travel | Buying something large | Paying yourself'],
      ['The monthly hour', 'Match bank and books | Read your profit in a minute | Set tax aside | A closing checklist'],
    ],
    ungrouped: 'Glossary | Template: income and expenses',
  },
  {
    id: 3,
    title: 'Write Clearly at Work',
    price: '59.00',
    demand: 4,
    pitch: 'Emails that are answered, reports that are read. No grammar lectures.',
    modules: [
      ['Think first', 'Who reads this? | One message for each text | An outline in five minutes'],
      ['Sentences', 'Verbs do the work | Cut a third | Lists and tables | Words that hide the actor'],
      [
        'Texts for the office',
        'The email that gets an answer | Bad news, said well | Minutes in ten lines | The one-page report',
      ],
      ['Working with others', 'Asking for comments | Editing a colleague | Keeping one voice'],
      ['Finishing', 'Read it aloud | The last five checks'],
    ],
    ungrouped: 'Before and after: a collection',
  },
  {
    id: 4,
    title: 'Public Speaking Without Panic',
    price: '69.00',
    demand: 3,
    daysOfAccess: 180,
    pitch: 'Prepare less, practise better, and enjoy the first minute.',
    modules: [
      ['The body first', 'What fear is good for | Breathing you can trust | Standing and looking'],
      ['The talk', 'One idea, three examples | A first sentence | A last sentence | Notes that help | Slides, or none'],
      ['Practice', 'Alone and aloud | With a friendly listener | On camera, once'],
      ['On the day', 'The room and the microphone | Questions from the floor | When it goes wrong | Afterwards'],
    ],
    ungrouped: 'Warm-up: three minutes',
  },
  {
    id: 11,
    title: 'Projects That Finish',
    price: '89.00',
    demand: 3,
    pitch: 'Plan small, show early, say no in time. For people who lead without the title.',
    modules: [
      ['Beginnings', 'What does done look like? | Who decides, who helps | The smallest useful version'],
      ['Planning', 'Steps, not activities | Guessing time honestly | Risks on one page | A plan on the wall'],
      [
        'Running',
        'The weekly quarter of an hour | Saying no with reasons | Changing the plan | When two people disagree',
      ],
      ['Endings', 'Handing over | Looking back without blame | A party, however small'],
    ],
    ungrouped: 'Template: one-page plan | Template: weekly note',
  },
];
