import type { Call } from '../academy/call.ts';
import type { Rules } from '../academy/rules.ts';
import type { Json } from '../academy/state.ts';
import { reads, type Switch } from './switch.ts';

export function envelope(
  name: string,
  kind: Switch['kind'],
  says: string,
  write: (body: Json, call: Call) => unknown,
  probes: readonly string[] = [...reads, 'list_courses'],
): Switch {
  const rules: Rules = {
    after: (reply, call) =>
      reply.status === 200 && call.method === 'GET' ? { ...reply, body: write(Object(reply.body), call) } : reply,
  };
  return { name: `envelope-${name}`, class: 'envelopes', kind, says, probes, rules };
}

const camel = (key: string) => key.replaceAll(/_(\w)/g, (_all, letter: string) => letter.toUpperCase());

function rewriteKeys(value: unknown, rewrite: (key: string) => string): unknown {
  if (Array.isArray(value)) return value.map((one) => rewriteKeys(one, rewrite));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [rewrite(key), rewriteKeys(one, rewrite)]));
}

const listOf = (body: Json) => Object.entries(body).find(([, value]) => Array.isArray(value));

export const envelopeSwitches: readonly Switch[] = [
  envelope('data-list', 'departs', 'lists under data', (body, { route }) => {
    const [name, list] = route.endsWith('.list') ? (listOf(body) ?? []) : [];
    if (name === undefined) return body;
    const { [name]: _gone, ...others } = body;
    return { ...others, data: list };
  }),
  envelope('camel', 'departs', 'keys in camelCase', (body) => rewriteKeys(body, camel)),
  envelope('result', 'departs', '{"result": the whole, "status": "ok"}', (body) => ({ status: 'ok', result: body })),
];
