/** Visible format characters, such as Arabic number signs, and line breaks and tabs, which are handled separately. */
const visible = '[\\n\\t\\u0600-\\u0605\\u06DD\\u070F\\u0890\\u0891\\u08E2\\u{110BD}\\u{110CD}]';

/** Scripts in which a joiner changes the form of the letters next to it. */
const joiningScripts = [
  'Arabic Syriac Nko Mandaic Adlam',
  'Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Khmer Myanmar Tibetan',
  'Balinese Javanese Sundanese',
]
  .flatMap((names) => names.split(' '))
  .map((name) => `\\p{Script_Extensions=${name}}`)
  .join('');
// The Arabic letter mark counts as Arabic but is invisible.
const joining = `(?!\\u061C)[${joiningScripts}\\u1820-\\u18AA]`;
const virama =
  '[\\u094D\\u09CD\\u0A4D\\u0ACD\\u0B4D\\u0BCD\\u0C4D\\u0CCD\\u0D4D\\u0DCA\\u1039\\u17D2\\u1B44\\u1BAA\\uA9C0]';

/** Joiners and selectors that change how a visible neighbor looks. Emoji sequences and some scripts need them. */
const needed = [
  '(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}]\\uFE0F?)\\u200D(?=\\p{Extended_Pictographic})',
  '(?<=\\p{Extended_Pictographic})[\\uFE0E\\uFE0F]',
  '(?<=[0-9#*])\\uFE0F(?=\\u20E3)',
  `(?<=${joining})\\u200D`,
  `(?<=[\\p{L}\\p{M}\\p{N}])\\u200C(?=${joining})`,
  `(?<=${virama})\\u200C`,
  '(?<=[\\u1820-\\u18AA])[\\u180B-\\u180F]',
].join('|');

let pattern: RegExp | undefined;

/** What a model reads and a person does not see; not line breaks and tabs. Compiled when needed, which takes 5 ms. */
export function invisible(): RegExp {
  pattern ??= new RegExp(
    `(?!${visible}|${needed})[\\p{Cc}\\p{Cf}\\p{Default_Ignorable_Code_Point}\\p{Noncharacter_Code_Point}]`,
    'gu',
  );
  return pattern;
}

const names: Record<number, string> = {
  0: 'null',
  9: 'tab',
  10: 'line feed',
  13: 'carriage return',
  27: 'escape',
  173: 'soft hyphen',
  1564: 'Arabic letter mark',
  8203: 'zero width space',
  8204: 'zero width non-joiner',
  8205: 'zero width joiner',
  8206: 'left-to-right mark',
  8207: 'right-to-left mark',
  8232: 'line separator',
  8233: 'paragraph separator',
  8234: 'left-to-right embedding',
  8235: 'right-to-left embedding',
  8236: 'pop directional formatting',
  8237: 'left-to-right override',
  8238: 'right-to-left override',
  8288: 'word joiner',
  8294: 'left-to-right isolate',
  8295: 'right-to-left isolate',
  8296: 'first strong isolate',
  8297: 'pop directional isolate',
  65279: 'zero width no-break space',
};

const kinds: [characters: RegExp, name: string][] = [
  [/\p{Cc}/u, 'control character'],
  [/[\u{E0000}-\u{E007F}]/u, 'tag character'],
  [/\p{Variation_Selector}/u, 'variation selector'],
  [/\p{Cs}/u, 'half of a surrogate pair'],
  [/\p{Noncharacter_Code_Point}/u, 'not a character'],
];

/** `U+202E (right-to-left override)`. */
function characterName(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const kind = kinds.find(([characters]) => characters.test(character))?.[1] ?? 'invisible character';
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')} (${names[code] ?? kind})`;
}

let unwritable: RegExp | undefined;

/** Describes the first invisible character of a name or title, such as `U+202E (right-to-left override)`. */
export function findInvisible(text: string): string | undefined {
  unwritable ??= new RegExp(`[\\p{Cs}\\n\\t\\u2028\\u2029]|${invisible().source}`, 'u');
  const [character] = unwritable.exec(text) ?? [];
  return character === undefined ? undefined : characterName(character);
}
