import { expect } from 'vitest';
import { eras } from './eras.ts';

export interface EventRow extends Record<string, unknown> {
  event: string;
  check: string;
  received_at: string;
  untrusted?: Record<string, unknown>;
}

interface EventList {
  text: string;
  rows: EventRow[];
  data: Record<string, unknown>;
}

/** A client of 2025-11-25 over HTTP that lists events. */
export async function listEvents(url: string) {
  const client = await eras[0]?.connect({ url });
  if (client === undefined) throw new Error('there is no client');
  const list = async (args: Record<string, unknown> = {}): Promise<EventList> => {
    const { content, structuredContent: data = {}, isError } = await client.call('list_recent_events', args);
    const text = content[0]?.text ?? '';
    expect(isError, text).not.toBe(true);
    return { text, data, rows: (data.events ?? []) as EventRow[] };
  };
  return { client, list };
}
