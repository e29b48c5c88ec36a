import { expect } from 'vitest';
import type { Sandbox, SandboxOptions } from '../../src/sandbox/index.ts';
import { type Row, row } from '../support/academy.ts';
import { connect } from '../support/connect.ts';
import { start } from '../support/sandbox.ts';
import { connectMirror, whenFilled } from './start-mirror.ts';

const now = new Date('2026-11-01T12:00:00Z');
const secret = 'a secret of at least thirty-two characters';

export type BothWays = Awaited<ReturnType<typeof bothWays>>;

export interface BothOptions {
  /** Changes the academy before it is read. */
  readonly arrange?: (sandbox: Sandbox) => void;
  /** The address at which the servers reach it; default: its own. */
  readonly through?: (url: string) => Promise<string>;
}

/** The same academy twice: through a server without a mirror, and through one whose mirror is filled. */
export async function bothWays(options: SandboxOptions, { arrange, through }: BothOptions = {}) {
  const sandbox = await start({ now, ...options });
  arrange?.(sandbox);
  const url = (await through?.(sandbox.url)) ?? sandbox.url;
  const settings = { ACADEMY_BASE_URL: url, ACADEMY_RATE_LIMIT: 'off', ACADEMY_CONFIRM_SECRET: secret };
  const clock = { now: () => now };
  const api = await connect(settings, clock);
  const mirrored = await connectMirror(settings, clock);
  await whenFilled(mirrored);
  return { sandbox, api, mirrored };
}

export const coverageOf = ({ structured }: { structured: Row | undefined }) => row(structured?.coverage ?? {});

export type Question = readonly [tool: string, args: Row];

/** An answer without what may differ: how it was read. */
export function factsOf(structured: Row | undefined): Row {
  const { coverage, next_cursor, ...facts } = structured ?? {};
  const { complete, unreadable, unknown_statuses, unchecked } = row(coverage ?? {});
  const known = { complete, unreadable, unknown_statuses, unchecked };
  if (facts.held_since_means === undefined) return { ...facts, hasMore: next_cursor !== undefined, ...known };
  // The mirror also knows since when buyers of a period had held the course before it.
  const { product, period, bands, totals, note } = facts;
  const { stuck: _stuck, ...counts } = row(totals);
  return { product, period, bands, totals: counts, note, ...known };
}

/** The answers of both to one question. */
export async function askBoth({ api, mirrored }: Pick<BothWays, 'api' | 'mirrored'>, tool: string, args: Row) {
  return [await api.call(tool, args), await mirrored.call(tool, args)] as const;
}

/** Asks both, part by part, and compares all facts. */
export async function expectSame({ api, mirrored }: Pick<BothWays, 'api' | 'mirrored'>, [tool, args]: Question) {
  let [first, second]: Row[] = [args, args];
  for (let part = 1; part <= 3; part += 1) {
    const [read, copied] = [await api.call(tool, first), await mirrored.call(tool, second)];
    const asked = `${tool} ${JSON.stringify(args)} part ${part}`;
    // An answer that is cut for its length may be cut elsewhere, since coverage has another length.
    if (read.structured?.cut !== undefined) return;
    const [seen, expected] = [copied, read].map((one) => factsOf(one.structured));
    expect(seen, `${asked}\n${read.text}\n${copied.text}`).toEqual(expected);
    expect(copied.isError, asked).toBe(read.isError);
    if (read.isError) return;
    expect(coverageOf(copied), asked).toMatchObject({ source: 'mirror', pages_read: 0 });
    expect(copied.text, asked).toContain('mirror');
    expect(coverageOf(read).source, asked).toBeUndefined();
    if (read.structured?.next_cursor === undefined || copied.structured?.next_cursor === undefined) return;
    [first, second] = [read, copied].map(({ structured }) => ({ ...args, cursor: structured?.next_cursor }));
  }
}
