export const groupNames = ['Welcome', 'Courses', 'Show your work', 'Members only', 'Off topic'];

interface ChannelText {
  readonly name: string;
  readonly description: string | null;
  /** Group id: its index in `groupNames`, from 1. */
  readonly group: number | null;
  readonly topics: readonly string[];
  readonly locked?: boolean;
  /** Bundle ids. */
  readonly offers?: readonly number[];
}

export const channelTexts: readonly ChannelText[] = [
  {
    name: 'Announcements',
    description: 'News from the team. Read here, answer in the other channels.',
    group: 1,
    topics: ['Dates for this term', 'What is new', 'Maintenance windows'],
    locked: true,
  },
  {
    name: 'Introductions',
    description: 'Who are you, and what do you want to learn?',
    group: 1,
    topics: ['Say hello', 'Where in the world are you?'],
  },
  {
    name: 'Spreadsheet Help',
    description: 'Formulas that fail, imports that break. Post the formula, not a photo of it.',
    group: 2,
    topics: ['Lookups', 'Dates and times', 'Charts', 'Everything else about sheets'],
  },
  {
    name: 'SQL & Databases',
    description: 'Questions about queries. Say which lesson you are at.',
    group: 2,
    topics: ['Joins', 'Grouping', 'Window functions', 'Practice database'],
  },
  {
    name: 'Python Corner',
    description: null,
    group: 2,
    topics: ['Installation', 'My first program', 'Reading error messages'],
  },
  {
    name: 'Photo Critique',
    description: 'One photo, one question, kind words.',
    group: 3,
    topics: ['Portraits', 'Street', 'Still life'],
  },
  {
    name: 'Bakers’ Table',
    description: 'Crumb, crust and failures.',
    group: 3,
    topics: ['Sourdough', 'First loaf', 'Ovens'],
  },
  {
    name: 'Café Criativo ☕',
    description: 'Em português. Todos são bem-vindos.',
    group: 3,
    topics: ['Apresentações', 'Trabalhos da semana'],
    offers: [10],
  },
  {
    name: 'Data Path Cohort',
    description: 'For those on the data path. Weekly plan on Mondays.',
    group: 4,
    topics: ['Week by week', 'Study partners'],
    offers: [1],
  },
  {
    name: 'Members Lounge',
    description: 'Open to everybody with a bundle.',
    group: 4,
    topics: ['Ask the team', 'Book club', 'Jobs and commissions'],
    offers: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
  },
  {
    name: 'Freelancers',
    description: 'Clients, prices, taxes. No legal advice.',
    group: 4,
    topics: ['Prices', 'Difficult clients'],
    offers: [2, 5],
  },
  { name: 'Small Talk', description: null, group: 5, topics: ['Pets', 'Good news'] },
  { name: 'Archive 2024', description: 'Closed topics.', group: null, topics: ['Old questions'], locked: true },
];
