import { setTimeout as sleep } from 'node:timers/promises';
import type { InputOf, Operation } from '../contract/operation.ts';
import type { ListResponse } from '../contract/schemas/response.ts';
import { oneLine, quotable } from '../shared/clean-text.ts';
import { asValue } from '../shared/quote-text.ts';
import { createTtlCache } from '../shared/ttl-cache.ts';
import type { CallDependencies } from './call-tool.ts';
import { listKey, type WholeList, wholeLists } from './list-window.ts';
import { invalidRequest } from './rpc-error.ts';

/** The typed text, and how to read the lists that complete it. */
export interface CompletionInput {
  readonly typed: string;
  /** Arguments that are already filled in. */
  readonly filledIn: Readonly<Record<string, string>>;
  readonly list: ReadList;
  /** Whether the caller has a tool: a completion shows only what the caller's tools show. */
  readonly has: (tool: string) => boolean;
}

export type CompletionSource = (typing: CompletionInput) => Promise<Found>;

/** The source of each argument's completions; other arguments have none. */
export type Completes = Readonly<Record<string, CompletionSource>>;

export interface Found {
  readonly values: readonly string[];
  readonly more: boolean;
}

const holds = (typed: string, text: string) => text.toLowerCase().includes(typed.toLowerCase());

export function fromNames(names: readonly string[], typed: string): Found {
  return { values: names.filter((name) => holds(typed, name)), more: false };
}

function fieldText(row: Record<string, unknown>, field: string): string {
  const value = row[field];
  return typeof value === 'string' || typeof value === 'number' ? oneLine(String(value), 200) : '';
}

/** The values of a field, from rows whose fields `by` contain the typed text. */
export function pick(rows: readonly object[], typed: string, field: string, by: readonly string[]): string[] {
  const fitting = rows
    .map((row) => ({ ...row }))
    .filter((row) => by.some((name) => holds(typed, fieldText(row, name))));
  return [...new Set(fitting.map((row) => fieldText(row, field)))].filter((value) => value !== '');
}

export interface CompletionRequest {
  readonly ref:
    | { readonly type: 'ref/prompt'; readonly name: string }
    | { readonly type: 'ref/resource'; readonly uri: string };
  readonly argument: { readonly name: string; readonly value: string };
  readonly context?: { readonly arguments?: Record<string, string> | undefined } | undefined;
}

/** The most values of one result (specification, "Completion"). */
const maxValues = 100;
const maxQuery = 255;

/** After this time the person has typed on, in milliseconds. The list is cached for the next keystroke. */
const maxWaitMs = 2_000;

interface Offered {
  readonly resources: readonly { readonly uri: string; readonly completes?: Completes }[];
  readonly prompts: readonly { readonly name: string; readonly completes?: Completes }[];
}

export function noCompletions(ref: CompletionRequest['ref']): Error {
  const what = ref.type === 'ref/prompt' ? ref.name : ref.uri;
  return invalidRequest(`No completions for ${asValue(quotable(what, 200))}`);
}

function completesOf({ ref }: CompletionRequest, { resources, prompts }: Offered): Completes {
  const named =
    ref.type === 'ref/prompt'
      ? prompts.find(({ name }) => name === ref.name)
      : resources.find(({ uri }) => uri === ref.uri);
  if (named === undefined) throw noCompletions(ref);
  return named.completes ?? {};
}

const nothing: Found = { values: [], more: false };

/** The result of a completion/complete, as the protocol defines it. */
function completionResult({ values, more }: Found) {
  const total = more ? {} : { total: values.length };
  return { completion: { values: values.slice(0, maxValues), ...total, hasMore: more || values.length > maxValues } };
}

/** Throws `RpcError` (-32602) for an unknown prompt or template; any other problem gives no values. */
export async function complete(
  request: CompletionRequest,
  offered: Offered,
  { list, has }: Pick<CompletionInput, 'list' | 'has'>,
) {
  const { argument, context } = request;
  const completes = new Map(Object.entries(completesOf(request, offered)));
  const source = completes.get(argument.name);
  if (source === undefined || argument.value.length > maxQuery) return completionResult(nothing);
  const typed = argument.value.trim();
  const finding = source({ typed, filledIn: context?.arguments ?? {}, list, has });
  return completionResult(await Promise.race([finding, sleep(maxWaitMs, nothing, { ref: false })]));
}

type ListOperation = Operation & { response: ListResponse };

type ReadList = <O extends ListOperation>(operation: O, input: InputOf<O>) => Promise<object[]>;

/** How long a list, or that it could not be read, is kept for the next keystroke, in milliseconds, and how many are. */
const kept = { ttlMs: 60_000, maxEntries: 20 };

// A list that cannot be fetched is empty: nothing here fails or waits for the request limit. A request continues after the
// keystroke that began it is cancelled, since the next one needs the same list.

export function createListReader({ api, stores, running }: Pick<CallDependencies, 'api' | 'stores' | 'running'>) {
  const pending = createTtlCache<Promise<object[]>>(kept);

  async function ask<O extends ListOperation>(operation: O, input: InputOf<O>): Promise<object[]> {
    const controller = new AbortController();
    // Deferred: during `onWait` the call does not listen to the signal yet.
    const onWait = () => queueMicrotask(() => controller.abort());
    const answer = await api.call(operation, input, { signal: controller.signal, onWait, priority: 'bulk' });
    return (answer as WholeList).items;
  }

  const read: ReadList = async (operation, input) => {
    const key = listKey(operation, input);
    const known = stores.of(wholeLists).get(key)?.items ?? pending.get(key);
    if (known !== undefined) return await known;
    if (api.budget().remaining === 0) return [];
    const list = ask(operation, input).catch(() => []);
    pending.set(key, list);
    running.add(list);
    void list.finally(() => running.delete(list));
    return await list;
  };
  return read;
}
