import { isObject } from '../shared/json.ts';

/** `traceparent` of W3C Trace Context, level 1, section 3.2: version, trace id, parent id, flags. */
const traceparent = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The trace id in the `_meta` of a request (specification, "Trace context"): 32 hexadecimal digits, not all 0. */
export function traceIdIn(meta: unknown): string | undefined {
  const given = isObject(meta) ? meta.traceparent : undefined;
  const [, id = ''] = typeof given === 'string' ? (traceparent.exec(given) ?? []) : [];
  return /[1-9a-f]/.test(id) ? id : undefined;
}
