import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeRequest } from '../../../src/api/http/encode.ts';
import { getChannel, searchPosts } from '../../../src/contract/community.ts';
import { operations } from '../../../src/contract/index.ts';
import { inputSchema, type Operation } from '../../../src/contract/operation.ts';
import { AcademyError } from '../../../src/shared/errors.ts';
import { runsOf } from '../../support/long-form.ts';

const base = new URL('https://academy.example.com');

// Each of these has led some server to another address than the intended one.
const escapes = [
  '',
  '.',
  '..',
  '...',
  '/',
  '../account',
  '..%2faccount',
  '%2e%2e',
  '%2e',
  '..;',
  'a/b',
  'a\\b',
  'a?b',
  'a#b',
  'a%00',
  'a\u0000b',
  '//evil.example',
  'https://evil.example',
  'a b',
  ' ',
  '\n',
  'a\r\nHost: evil',
  '\uFF0E\uFF0E',
];

/** The result for the agent's path values: refused by the schema, refused by the encoder, or the URL. */
function urlOf(operation: Operation, input: Record<string, unknown>): URL | undefined {
  const parsed = inputSchema(operation).safeParse(input);
  if (!parsed.success) return undefined;
  try {
    return encodeRequest(base, operation, parsed.data).url;
  } catch (error) {
    expect(error).toBeInstanceOf(AcademyError);
    return undefined;
  }
}

test('the encoder refuses any value that changes the address, even if the schema accepts it', () => {
  for (const value of ['', '.', '..']) {
    expect(() => encodeRequest(base, getChannel, { id_or_slug: value })).toThrow(AcademyError);
  }
  const { url } = encodeRequest(base, getChannel, { id_or_slug: '../../x?y#z' });
  expect(url.href).toBe('https://academy.example.com/api/v1/community/channels/..%2F..%2Fx%3Fy%23z');
});

test('any text is refused or stays one path segment', () => {
  const anything = fc.oneof(fc.string({ unit: 'binary' }), fc.string(), fc.webPath(), fc.constantFrom(...escapes));
  fc.assert(
    fc.property(anything, (value) => {
      const url = urlOf(getChannel, { id_or_slug: value });
      if (url === undefined) return;
      expect(url.origin).toBe('https://academy.example.com');
      const segments = url.pathname.split('/');
      expect(segments.slice(0, 5)).toEqual(['', 'api', 'v1', 'community', 'channels']);
      expect(segments).toHaveLength(6);
      expect(decodeURIComponent(segments[5] ?? '')).toBe(value);
    }),
    { numRuns: runsOf(5_000) },
  );
});

test('slugs in every script are accepted', () => {
  for (const slug of ['watercolour-basics', 'física-2', '日本語', 'v1.2', 'a_b~c', '7']) {
    expect(urlOf(getChannel, { id_or_slug: slug })?.pathname).toBe(
      `/api/v1/community/channels/${encodeURIComponent(slug)}`,
    );
  }
});

test('query values of any content arrive unchanged', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (query) => {
      const { url } = encodeRequest(base, searchPosts, { id_or_slug: 'general', query });
      expect(new URL(url.href).searchParams.get('query')).toBe(query);
      expect([...url.searchParams.keys()]).toEqual(['query']);
    }),
  );
});

test('every operation has a path below /api/v1', () => {
  for (const { id, path } of operations) expect(path, id).toMatch(/^\/api\/v1\/[a-z]/);
});
