import type { Sandbox } from '../../../src/sandbox/index.ts';

export type Row = Record<string, unknown>;

/** One request to the academy, without any code of the program. */
export async function request({ url, apiKey }: Sandbox, method: string, path: string, body?: Row): Promise<Row> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer = (await response.json()) as Row;
  if (method === 'GET' && !response.ok) throw new Error(`${path}: ${response.status}`);
  return answer;
}
