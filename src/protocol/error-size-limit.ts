import { cutToBytes } from '../shared/clean-text.ts';
import { maxRefusal } from '../shared/errors.ts';
import { isObject } from '../shared/json.ts';

/** Bytes for the code and punctuation of an error, in addition to its message. */
const codeBytes = 100;

/** Shortens an error of more than `maxRefusal` bytes: removes its data and cuts its message. An SDK quotes what it received. */
export function limitErrorSize<Message extends object>(message: Message): Message {
  const error = 'error' in message ? message.error : undefined;
  if (!isObject(error) || Buffer.byteLength(JSON.stringify(error)) <= maxRefusal) return message;
  const text = typeof error.message === 'string' ? error.message : '';
  return { ...message, error: { code: error.code, message: cutToBytes(text, maxRefusal - codeBytes) } };
}

interface Sender {
  send(message: object, ...rest: unknown[]): Promise<void>;
}

/** Makes the transport limit the size of every error that it sends. */
export function withErrorSizeLimit<Transport extends Sender>(transport: Transport): Transport {
  const send = transport.send.bind(transport);
  transport.send = (message, ...rest) => send(limitErrorSize(message), ...rest);
  return transport;
}

/** `traceparent` of W3C Trace Context, level 1, section 3.2: version, trace id, parent id, flags. */
const traceparent = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The trace id in the `_meta` of a request (specification, "Trace context"): 32 hexadecimal digits, not all 0. */
export function traceIdIn(meta: unknown): string | undefined {
  const given = isObject(meta) ? meta.traceparent : undefined;
  const [, id = ''] = typeof given === 'string' ? (traceparent.exec(given) ?? []) : [];
  return /[1-9a-f]/.test(id) ? id : undefined;
}
