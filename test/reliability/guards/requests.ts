import type { Guard } from './guard.ts';

const encode = ['test/api/http/encode.test.ts'];
const http = ['test/api/http/http.test.ts'];

/** Requests reach only the intended place, and only when intended. */
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
    name: 'the finished URL is checked again',
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
    name: 'only cursors that the server issued are accepted',
    file: 'src/shared/cursor.ts',
    text: "throw new AcademyError('invalid_input', 'cursor is not one",
    instead:
      "if (hint !== '') return { at: 0, of: 0 };\n    throw new AcademyError('invalid_input', 'cursor is not one",
    tests: ['test/tools/courses.test.ts'],
    only: 'refuses a made-up cursor',
  },
  {
    name: 'a page number is always sent for orders',
    file: 'tools/orders/list-orders.ts',
    text: '{ ...filter, page, per_page }',
    instead: 'filter',
    tests: ['test/tools/orders.test.ts'],
    only: 'always asks for a page',
  },
  {
    name: 'an update without a change is refused',
    file: 'src/mcp/define-api-tool.ts',
    text: 'if (operation.needsChange) requireChange(operation, input);',
    instead: '',
    tests: ['test/tools/products.test.ts'],
    only: 'without a change',
  },
  {
    name: 'each write has its own connection',
    file: 'src/api/http/http.ts',
    text: 'options.write ? undici.writes : undici.reads',
    instead: 'undici.reads',
    tests: http,
  },
  {
    name: 'redirects are not followed',
    file: 'src/api/http/http.ts',
    text: "const { Agent, EnvHttpProxyAgent, request } = (await import('undici')).default;",
    instead: `const undici = (await import('undici')).default;
      const { EnvHttpProxyAgent, request } = undici;
      const Agent = function (options) {
        return new undici.Agent(options).compose(undici.interceptors.redirect({ maxRedirections: 3 }));
      };`,
    tests: http,
  },
  {
    name: 'a request counts as not sent only with proof',
    file: 'src/api/http/http.ts',
    text: 'if (!sent) return',
    instead: "if (!sent || reason === 'ECONNRESET') return",
    tests: http,
  },
  {
    name: 'waiting for an answer has a timeout',
    file: 'src/api/http/http.ts',
    text: 'deadline(timeoutMs, options.signal)',
    instead: 'deadline(2 ** 30, options.signal)',
    tests: http,
    only: 'a late answer|at the timeout',
  },
];
