import { expect, test } from 'vitest';
import { cleanText, oneLine } from '../../src/shared/clean-text.ts';
import { findInvisible } from '../../src/shared/invisible-characters.ts';

const points = (...codes: number[]) => String.fromCodePoint(...codes);

/** Texts that people write. No character may be lost or refused. */
const legitimate: [what: string, text: string][] = [
  ['a family', points(0x1f468, 0x200d, 0x1f469, 0x200d, 0x1f467)],
  ['a technologist with a skin tone', points(0x1f469, 0x1f3fd, 0x200d, 0x1f4bb)],
  ['a rainbow flag', points(0x1f3f3, 0xfe0f, 0x200d, 0x1f308)],
  ['a heart in colour', `I ${points(0x2764, 0xfe0f)} maths`],
  ['a keycap', points(0x31, 0xfe0f, 0x20e3)],
  ['Persian with a non-joiner', points(0x645, 0x6cc, 0x200c, 0x62e, 0x648, 0x627, 0x647, 0x645)],
  ['a Persian plural of a Latin word', `PDF${points(0x200c, 0x647, 0x627)}`],
  ['Arabic with a joiner at the end', points(0x647, 0x200d)],
  ['Sinhala with a joiner', points(0xdc1, 0xdca, 0x200d, 0xdbb, 0xdd3)],
  ['Devanagari with a non-joiner', points(0x915, 0x94d, 0x200c, 0x937)],
  ['Bengali with a joiner', points(0x9b0, 0x200d, 0x9cd, 0x9af)],
  ['Javanese with a joiner', points(0xa98f, 0xa9c0, 0x200d, 0xa9ab)],
  ['Balinese with a non-joiner', points(0x1b13, 0x1b44, 0x200c, 0x1b13)],
  ['Hebrew, Arabic and Chinese', 'שלום مرحبا 你好'],
  ['accents that combine', `Ame${points(0x301)}lie`],
  ['a non-breaking space', `Vrai${points(0xa0)}?`],
];

test.each(legitimate)('%s is kept and accepted', (_what, text) => {
  expect([cleanText(text), findInvisible(text)]).toEqual([text, undefined]);
});

const unseen: [text: string, expected: string][] = [
  [`a${points(0x200b)}`, 'U+200B (zero width space)'],
  [`a${points(0x202e)}b`, 'U+202E (right-to-left override)'],
  [`a${points(0x2066)}b`, 'U+2066 (left-to-right isolate)'],
  [`a${points(0xe0041)}`, 'U+E0041 (tag character)'],
  [`a${points(0xe007f)}`, 'U+E007F (tag character)'],
  [`a${points(0)}`, 'U+0000 (null)'],
  [`a${points(0x9b)}`, 'U+009B (control character)'],
  ['a\nb', 'U+000A (line feed)'],
  ['a\tb', 'U+0009 (tab)'],
  [`a${points(0x2028)}b`, 'U+2028 (line separator)'],
  [`a${points(0xad)}b`, 'U+00AD (soft hyphen)'],
  [`a${points(0x200d)}b`, 'U+200D (zero width joiner)'],
  [`a${points(0x200c)}b`, 'U+200C (zero width non-joiner)'],
  [points(0x645, 0x200c), 'U+200C (zero width non-joiner)'],
  [points(0x645, 0x200d, 0x200d), 'U+200D (zero width joiner)'],
  [points(0x1f469, 0x200d), 'U+200D (zero width joiner)'],
  [points(0x1f469, 0xfe0f, 0xfe0f), 'U+FE0F (variation selector)'],
  [`a${points(0xfe0f)}`, 'U+FE0F (variation selector)'],
  [points(0x1f469, 0xe0101), 'U+E0101 (variation selector)'],
  [`1${points(0xfe0f)}`, 'U+FE0F (variation selector)'],
  [points(0x3164), 'U+3164 (invisible character)'],
  [`a${points(0xd800)}b`, 'U+D800 (half of a surrogate pair)'],
  [`a${points(0xffff)}`, 'U+FFFF (not a character)'],
];

test.each(unseen)('%j is refused with its code point', (text, expected) => {
  expect(findInvisible(text)).toBe(expected);
});

test('no invisible character and no blank passes as part of a word', () => {
  for (let code = 0; code <= 0xffff; code += 1) {
    const text = `a${String.fromCharCode(code)}b`;
    const isWord = !/\s/.test(text) && findInvisible(text) === undefined;
    expect([code, oneLine(text, 200) === text]).toEqual([code, isWord || text === 'a b']);
  }
});
