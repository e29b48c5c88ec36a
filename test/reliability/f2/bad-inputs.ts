import fc from 'fast-check';
import { type ObjectSchema, objectOf, type ValueSchema } from './listed-schema.ts';
import { courseVersion } from './listener.ts';
import { numberTricks, prototypeKeys, textTricks } from './tricks.ts';

type Json = Record<string, unknown>;

const hugeLength = 1_000_000;

const huge = fc
  .constantFrom('a', 'é', '../', '\u0000', 'a@a.', '7', '\u{1F600}', ' ', '\u202E')
  .map((unit) => unit.repeat(Math.ceil(hugeLength / unit.length)));

const hostileText = fc.oneof(
  { weight: 60, arbitrary: fc.constantFrom(...textTricks) },
  { weight: 25, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 10, arbitrary: fc.webPath() },
  { weight: 5, arbitrary: fc.emailAddress() },
  { weight: 1, arbitrary: huge },
);

const anyKey = fc.oneof(fc.constantFrom(...prototypeKeys), fc.string({ unit: 'binary', maxLength: 12 }));

/** Object.fromEntries makes even `__proto__` an own property, like JSON.parse. */
const withOddKeys = fc
  .array(fc.tuple(anyKey, fc.jsonValue({ maxDepth: 1 })), { maxLength: 4 })
  .map((entries): unknown => Object.fromEntries(entries));

const anyJson = fc.oneof(fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<unknown>, withOddKeys);

const anyValue = fc.oneof(fc.constantFrom<unknown>(...numberTricks), hostileText, anyJson);

/** Texts that some arguments require, or that pass more checks than others. */
const rightTexts: Readonly<Record<string, readonly string[]>> = {
  created_after: ['2026-02-28T09:30:00Z'],
  created_before: ['2026-03-28'],
  timezone: ['Europe/Lisbon'],
  price: ['49.00'],
  product: ['text', '7', ' 8 '],
  base_version: [courseVersion, 'text'],
};

/** Valid by the listed schema. */
function rightValue(name: string, schema: ValueSchema): fc.Arbitrary<unknown> {
  const { type, items } = schema;
  if (Array.isArray(schema.enum)) return fc.constantFrom<unknown>(...schema.enum);
  if (items !== undefined) return fc.array(rightValue(name, items), { minLength: 1, maxLength: 3 });
  if (type === 'object') return rightInput(objectOf(schema));
  if (type === 'integer') return fc.integer({ min: 1, max: 20 });
  if (type === 'boolean') return fc.boolean();
  if (type === undefined) return fc.constantFrom<unknown>(null, 3);
  if (name.endsWith('email')) return fc.constant('ann@example.com');
  return fc.constantFrom(...(rightTexts[name] ?? ['text']));
}

/** Any value, or a valid value with one wrong part. */
function wrongAt(name: string, schema: ValueSchema): fc.Arbitrary<unknown> {
  const { type, items } = schema;
  if (type === 'object') return fc.oneof(anyValue, nearlyRight(objectOf(schema)));
  if (items === undefined) return anyValue;
  const entries = fc.array(rightValue(name, items), { maxLength: 2 });
  return fc.oneof(
    anyValue,
    fc.tuple(entries, wrongAt(name, items)).map(([right, wrong]) => [...right, wrong]),
  );
}

type Change = (given: Map<string, unknown>) => void;

/** One error: a wrong value, an additional argument or a missing one. */
function changes({ properties, required }: ObjectSchema): fc.Arbitrary<Change> {
  const names = Object.keys(properties);
  const wrongValue = (name: string, value: unknown): Change => {
    return (given) => void given.set(name, value);
  };
  const near = anyKey.chain((key) => fc.constantFrom(key, ...names.map((name) => `${name}s`), 'account', 'api_key'));
  const added = fc.tuple(near, anyValue).map(([name, value]) => wrongValue(name, value));
  const left = required.map(
    (name): Change =>
      (given) =>
        void given.delete(name),
  );
  const some = Object.entries(properties).map(([name, schema]) =>
    wrongAt(name, schema).map((value) => wrongValue(name, value)),
  );
  return fc.oneof(added, ...some, ...(left.length > 0 ? [fc.constantFrom(...left)] : []));
}

function rightInput({ properties, required }: ObjectSchema): fc.Arbitrary<Json> {
  const right = Object.fromEntries(Object.entries(properties).map(([name, type]) => [name, rightValue(name, type)]));
  const some = fc.record(right, { requiredKeys: [...required] });
  // Many arguments exclude each other: a call with few arguments passes more checks.
  const optional = Object.keys(properties).filter((name) => !required.includes(name));
  const few = fc
    .tuple(fc.record(right), fc.shuffledSubarray(optional, { maxLength: Math.min(2, optional.length) }))
    .map(([all, kept]) => Object.fromEntries([...required, ...kept].map((name) => [name, all[name]])));
  return fc.oneof(some, few);
}

function changed(given: Json, wrong: readonly Change[]): unknown {
  const entries = new Map(Object.entries(given));
  for (const change of wrong) change(entries);
  return Object.fromEntries(entries);
}

function nearlyRight(schema: ObjectSchema): fc.Arbitrary<unknown> {
  const wrong = fc.array(changes(schema), { minLength: 1, maxLength: 3 });
  return fc.tuple(rightInput(schema), wrong).map(([given, all]) => changed(given, all));
}

/** Arguments as JSON text, as on the wire: nearly valid ones, with hostile texts, arbitrary, and valid. */
export function badInputs(schema: ObjectSchema): fc.Arbitrary<string> {
  const name = fc.constantFrom(...Object.keys(schema.properties), 'query');
  const hostile = fc
    .tuple(rightInput(schema), name, hostileText)
    .map(([given, at, text]) => ({ ...given, [at]: text }));
  return fc
    .oneof(
      { weight: 5, arbitrary: nearlyRight(schema) },
      { weight: 3, arbitrary: hostile as fc.Arbitrary<unknown> },
      { weight: 2, arbitrary: anyJson },
      { weight: 1, arbitrary: rightInput(schema) },
    )
    .map((given) => JSON.stringify(given) ?? 'null');
}
