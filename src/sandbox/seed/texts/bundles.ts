interface BundleText {
  readonly title: string;
  readonly price: string;
  /** Its sales relative to other bundles. */
  readonly demand: number;
  readonly description: string;
  readonly courses: readonly number[];
  readonly digitalProducts: readonly number[];
  readonly isDraft?: boolean;
}

/** Twelve: so a channel can have more attached offers than the API shows. */
export const bundleTexts: readonly BundleText[] = [
  {
    title: 'Data Path',
    price: '149.00',
    demand: 2,
    description: 'From your first formula to your first query: three courses in an order that works.',
    courses: [1, 7, 9],
    digitalProducts: [1, 2],
  },
  {
    title: 'Freelancer Starter Pack',
    price: '119.00',
    demand: 4,
    description: 'Books, clients and clear emails: what the first year on your own asks for.',
    courses: [2, 3],
    digitalProducts: [3],
  },
  {
    title: 'Creative Year',
    price: '179.00',
    demand: 3,
    description: 'A camera, a brush and an oven. One new craft each season.',
    courses: [5, 6, 8],
    digitalProducts: [4, 5],
  },
  {
    title: 'Speak and Write',
    price: '89.00',
    demand: 4,
    description: 'Say it clearly, on paper and on stage.',
    courses: [3, 4],
    digitalProducts: [],
  },
  {
    title: 'Full Access Pass',
    price: '399.00',
    demand: 1,
    description: 'Every published course and challenge, and all downloads.',
    courses: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14],
    digitalProducts: [1, 2, 3, 4, 5],
  },
  {
    title: 'Two Challenges',
    price: '39.00',
    demand: 4,
    description: 'Both open challenges in one go.',
    courses: [13, 14],
    digitalProducts: [],
  },
  {
    title: 'Team Licence: Spreadsheets',
    price: '199.00',
    demand: 2,
    description: 'For teams of up to ten. One invoice.',
    courses: [1],
    digitalProducts: [1],
  },
  {
    title: 'Developer Track',
    price: '189.00',
    demand: 2,
    description: 'Python, databases, and how to bring a project home.',
    courses: [7, 9, 11],
    digitalProducts: [2],
  },
  {
    title: 'Kitchen Table Crafts',
    price: '79.00',
    demand: 4,
    description: 'Bread and watercolour: quiet work for two hands.',
    courses: [6, 8],
    digitalProducts: [5],
  },
  {
    title: 'Scholarship Pack',
    price: '0.00',
    demand: 0,
    description: 'For students with a scholarship. Given by the team, never sold.',
    courses: [1, 3],
    digitalProducts: [],
  },
  {
    title: 'Alumni Lounge Membership',
    price: '25.00',
    demand: 2,
    description: 'A year in the lounge for those who have finished, with its workbook.',
    courses: [],
    digitalProducts: [3],
  },
  {
    title: 'Spring Collection (draft)',
    price: '129.00',
    demand: 0,
    description: 'Not announced yet.',
    courses: [10, 12],
    digitalProducts: [],
    isDraft: true,
  },
];
