import { cutToBytes } from '../shared/clean-text.ts';
import { maxRefusal } from '../shared/errors.ts';
import { isObject } from '../shared/json.ts';

/** For code and punctuation beside the words of an error, in bytes. */
const roomForCode = 100;

/**
 * A message as it may leave. An error that is longer than a refusal may be loses its data and the end of its words: an SDK
 * quotes what it was sent.
 */
export function limitErrorSize<Message extends object>(message: Message): Message {
  const error = 'error' in message ? message.error : undefined;
  if (!isObject(error) || Buffer.byteLength(JSON.stringify(error)) <= maxRefusal) return message;
  const words = typeof error.message === 'string' ? error.message : '';
  return { ...message, error: { code: error.code, message: cutToBytes(words, maxRefusal - roomForCode) } };
}

interface Sender {
  send(message: object, ...rest: unknown[]): Promise<void>;
}

/** The transport, which from now on sends bounded replies alone. */
export function withErrorSizeLimit<Transport extends Sender>(transport: Transport): Transport {
  const send = transport.send.bind(transport);
  transport.send = (message, ...rest) => send(limitErrorSize(message), ...rest);
  return transport;
}
