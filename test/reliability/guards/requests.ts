import type { Guard } from './guard.ts';

const encode = ['test/api/http/encode.test.ts'];
const http = ['test/api/http/http.test.ts'];

/** What keeps a request where it belongs. */
export const requestGuards: readonly Guard[] = [
  {
    name: 'an id or slug is one segment of a path',
    file: 'src/contract/schemas/path-segment.ts',
    text: 'isPathSegment,',
    instead: '() => true,',
    tests: encode,
  },
  {
    name: 'ids and slugs are encoded',
    file: 'src/api/http/encode.ts',
    text: 'return encodeURIComponent(written)',
    instead: 'return written',
    tests: encode,
  },
  {
    name: 'the finished URL is looked at once more',
    file: 'src/api/http/encode.ts',
    text: '  assertSamePlace(url, base, operation.path);',
    instead: '',
    tests: encode,
  },
  {
    name: 'unknown arguments are refused',
    file: 'src/contract/operation.ts',
    text: 'return z.strictObject({',
    instead: 'return z.object({',
    tests: ['test/tools/all-calls.test.ts'],
  },
  {
    name: 'a cursor is one that was given out',
    file: 'src/shared/cursor.ts',
    text: "throw new AcademyError('invalid_input', 'cursor is not one",
    instead:
      "if (hint !== '') return { at: 0, of: 0 };\n    throw new AcademyError('invalid_input', 'cursor is not one",
    tests: ['test/tools/courses.test.ts'],
    only: 'cursor of its own making',
  },
  {
    name: 'a page of orders is always asked for',
    file: 'tools/orders/list-orders.ts',
    text: '{ ...filter, page, per_page }',
    instead: 'filter',
    tests: ['test/tools/orders.test.ts'],
    only: 'always asks for a page',
  },
  {
    name: 'an update changes something',
    file: 'src/mcp/define-api-tool.ts',
    text: 'if (operation.needsChange) requireChange(operation, input);',
    instead: '',
    tests: ['test/tools/products.test.ts'],
    only: 'without a change',
  },
  {
    name: 'each write has a connection of its own',
    file: 'src/api/http/http.ts',
    text: 'options.write ? undici.writes : undici.reads',
    instead: 'undici.reads',
    tests: http,
  },
  {
    name: 'redirects are not followed',
    file: 'src/api/http/http.ts',
    text: "const { Agent, request } = (await import('undici')).default;",
    instead: `const undici = (await import('undici')).default;
      const { request } = undici;
      const Agent = function (options) {
        return new undici.Agent(options).compose(undici.interceptors.redirect({ maxRedirections: 3 }));
      };`,
    tests: http,
  },
  {
    name: 'only what provably never left was not sent',
    file: 'src/api/http/http.ts',
    text: 'if (!sent) return',
    instead: "if (!sent || reason === 'ECONNRESET') return",
    tests: http,
  },
  {
    name: 'an answer that takes too long is given up',
    file: 'src/api/http/http.ts',
    text: 'deadline(timeoutMs, options.signal)',
    instead: 'deadline(2 ** 30, options.signal)',
    tests: http,
    only: 'in time|past the time',
  },
];
