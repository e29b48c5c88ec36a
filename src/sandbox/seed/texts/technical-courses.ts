import type { CourseText } from './products.ts';

export const technicalCourses: readonly CourseText[] = [
  {
    id: 7,
    title: 'Data Analysis with SQL',
    price: '129.00',
    demand: 4,
    pitch: 'Ask a database real questions and trust the answers. From the first SELECT to a report that others use.',
    modules: [
      ['A first look', 'What a table is | Your first SELECT | Choosing columns | Sorting | Only the first ten'],
      [
        'Asking precisely',
        'WHERE and its traps | Text that is nearly equal | Dates and time zones | NULL is not nothing | AND, OR and brackets | Lists and ranges',
      ],
      [
        'Counting and adding',
        'COUNT three ways | SUM and AVG | GROUP BY | HAVING | Percentages of a whole | Money without rounding errors',
      ],
      [
        'Joining tables',
        'Keys | INNER JOIN | LEFT JOIN and what is missing | One to many, and double counting | Joining a table to itself | Drawing the joins',
      ],
      ['Questions in steps', 'Subqueries | WITH: naming a step | UNION | CASE | Reading a long query'],
      [
        'Over time',
        'Sales by week | Running totals | This month and the one before | First and last of each | Cohorts',
      ],
      [
        'Trust',
        'Checking totals | Duplicates | Explaining a number | Comments that help | Reviewing a colleague’s query',
      ],
      ['A report of your own', 'Choosing the question | A draft | Feedback | The final query | Sharing it safely'],
    ],
    ungrouped:
      'Installing the practice database | Practice database: the tables | How to ask for help | Where to go next',
  },
  {
    id: 9,
    title: 'Python from Zero',
    price: '119.00',
    demand: 5,
    pitch: 'Write small programs that take boring work off your desk. No mathematics needed.',
    modules: [
      ['Getting started', 'Installing Python | The prompt | A program in a file | Reading an error'],
      ['Values', 'Numbers | Text | True and false | Names for things | Asking the user'],
      ['Decisions and loops', 'if | while | for | Counting down | Leaving early'],
      ['Collections', 'Lists | Sorting a list | Dictionaries | Sets | Lists in lists'],
      ['Functions', 'Your own function | Arguments and defaults | Giving back a result | Small functions, good names'],
      ['Files', 'Reading a text file | Writing one | CSV | Folders | When a file is missing'],
      ['Tidy programs', 'Modules | Tests in five minutes | Formatting | Keeping versions'],
      [
        'A tool of your own',
        'Choosing a chore | The smallest version | Arguments on the command line | Giving it to somebody',
      ],
    ],
    ungrouped: 'Welcome | Editor set-up | Glossary of error messages',
  },
  {
    id: 12,
    title: 'Advanced SQL Workshop',
    price: '149.00',
    demand: 0,
    sale: 'draft',
    pitch: 'For graduates of Data Analysis with SQL: window functions, plans and large tables.',
    modules: [
      ['Windows', 'PARTITION BY | Ranking | Frames | Gaps and islands'],
      ['Speed', 'Reading a plan | Indexes that help | Indexes that hurt | Counting a large table | Batches'],
      ['Models', 'Slowly changing facts | Events and states | Keeping history'],
    ],
    ungrouped: 'Who this is for | Large practice database | Outline of the live sessions',
  },
];
