import { type AnyOperation, operations } from '../../contract/index.ts';

export interface Match {
  operation: AnyOperation;
  /** The decoded `:name` segments of the path. */
  params: Record<string, string>;
}

interface Route {
  method: string;
  operation: AnyOperation;
  pattern: readonly string[];
}

const isParameter = (segment: string) => segment.startsWith(':');

/** Routes with fewer parameters come first, so `/courses/roles` is not the course "roles". */
const routes: readonly Route[] = operations
  .map((operation) => ({ method: operation.method, operation, pattern: operation.path.split('/').slice(1) }))
  .toSorted((a, b) => a.pattern.filter(isParameter).length - b.pattern.filter(isParameter).length);

/**
 * Finds the operation for a method and the encoded segments of a path. PUT means the same as PATCH. Undefined if there is
 * none, or if a segment has invalid percent-encoding.
 */
export function findRoute(method: string, encodedSegments: readonly string[]): Match | undefined {
  const segments = decodeAll(encodedSegments);
  const wanted = method === 'PUT' ? 'PATCH' : method;
  if (segments === undefined) return undefined;
  const route = routes.find(({ method, pattern }) => method === wanted && matches(pattern, segments));
  return route && { operation: route.operation, params: parametersOf(route.pattern, segments) };
}

function decodeAll(segments: readonly string[]): string[] | undefined {
  try {
    return segments.map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

function matches(pattern: readonly string[], segments: readonly string[]): boolean {
  return (
    pattern.length === segments.length &&
    pattern.every((part, index) => (isParameter(part) ? segments[index] !== '' : part === segments[index]))
  );
}

function parametersOf(pattern: readonly string[], segments: readonly string[]): Record<string, string> {
  const pairs = pattern.map((part, index) => [part, segments[index] ?? ''] as const);
  return Object.fromEntries(pairs.filter(([part]) => isParameter(part)).map(([part, value]) => [part.slice(1), value]));
}
