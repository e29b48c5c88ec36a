import { cutToBytes, quotable } from '../shared/clean-text.ts';
import { type ErrorCode, maxRefusal, rpcCodes } from '../shared/errors.ts';
import { asValue } from '../shared/quote-text.ts';

/** Specification 2025-11-25, "Resources". 2026-07-28 wants -32602 with the URI as data: its SDK converts this code. */
const resourceNotFound = -32002;

/** Reserved for `data`, in bytes. */
const roomForData = 1_000;

/** A JSON-RPC error: both SDKs read code and data from its fields. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: { uri: string } | undefined;

  constructor(code: number, message: string, data?: { uri: string }) {
    super(cutToBytes(message, maxRefusal - roomForData));
    this.code = code;
    this.data = data && { uri: cutToBytes(data.uri, roomForData) };
  }
}

export const invalidRequest = (message: string): RpcError => new RpcError(rpcCodes.invalidParams, message);

export function noResource(uri: string, message?: string): RpcError {
  const why = 'resources/list and resources/templates/list show the available ones';
  return new RpcError(resourceNotFound, message ?? `Unknown resource: ${asValue(quotable(uri, 200))}. ${why}`, { uri });
}

/** The address exists or not: it is none that a client can subscribe to. */
export function noUpdates(uri: string): RpcError {
  const why = 'clients can subscribe only to resources that change with events';
  return invalidRequest(`No updates of ${asValue(quotable(uri, 200))}: ${why}`);
}

export function resourceError(uri: string, code: ErrorCode, message: string): RpcError {
  if (code === 'not_found') return noResource(uri, message);
  return new RpcError(code === 'invalid_input' ? rpcCodes.invalidParams : rpcCodes.internal, message);
}
