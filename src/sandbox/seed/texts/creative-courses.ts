import type { CourseText } from './course-text.ts';

export const creativeCourses: readonly CourseText[] = [
  {
    id: 5,
    title: 'Photography: Light and Lens',
    price: '99.00',
    demand: 8,
    pitch: 'See the light before you lift the camera. Any camera will do, the one in your pocket too.',
    modules: [
      ['Seeing', 'Where does the light come from? | Hard and soft | Colour of the hour | Shadows as shapes'],
      [
        'The camera',
        'Aperture, with a window | Time, with running water | Sensitivity and noise | Focus on purpose | Reading a histogram',
      ],
      ['Composition', 'One subject | Lines that lead | Empty space | Moving your feet'],
      ['People', 'Window portraits | Hands and eyes | Asking strangers | Groups that look alive'],
      ['Places', 'Streets after rain | Rooms as they are | Landscapes with a foreground | Night without a tripod'],
      ['Afterwards', 'Choosing ten of three hundred | Crop and straighten | Gentle colour | Printing one picture'],
    ],
    ungrouped: 'Welcome | Weekly assignment sheet | Further reading',
  },
  {
    id: 6,
    title: 'Watercolour Basics',
    price: '45.00',
    demand: 3,
    pitch: 'Water, three colours and patience. Small pictures that you will want to keep.',
    modules: [
      ['Material', 'Three colours are enough | Paper matters most | Brushes and water'],
      ['First washes', 'A flat wash | A wash that fades | Wet into wet | Edges, hard and lost'],
      ['Simple things', 'A pear | A glass of water | A jar against the light | Leaves'],
      ['A whole picture', 'Sketch lightly | From light to dark | Saving the white | Knowing when to stop'],
    ],
    ungrouped: 'Colour chart to print',
  },
  {
    id: 8,
    title: 'Bread at Home',
    price: '39.00',
    demand: 4,
    pitch: 'Flour, water, salt and time. From the first loaf to your own sourdough.',
    modules: [
      ['The first loaf', 'What flour does | Mixing by hand | Waiting | Baking in a pot'],
      ['Sourdough', 'Starting a starter | Feeding it | Reading the dough | Shaping | Scoring'],
      ['Variations', 'Rye | Seeds and soakers | Soft rolls | Flatbread in a pan'],
      ['When it fails', 'Too dense | Too sour | It sticks to everything'],
    ],
    ungrouped: 'Baker’s percentages | Timetable for working people',
  },
  {
    id: 10,
    title: 'Interface Design Foundations',
    price: '109.00',
    demand: 0,
    sale: 'bundles',
    pitch: 'Layout, type and colour for people who build screens.',
    modules: [
      ['Looking closely', 'What is in the way? | A walk through three forms | Drawing what you see'],
      ['Layout', 'A grid you can forget | Spacing in steps | Alignment | Small screens first'],
      ['Type and colour', 'Two sizes, two weights | Line length | Contrast for everybody | A palette of five'],
      ['Behaviour', 'Buttons that say what they do | Empty, loading, broken | Errors that help | Keyboards'],
      ['Testing', 'Five people, one task | Watching without helping | What to change first'],
    ],
    ungrouped: 'Checklist: accessible forms',
  },
];
