import type { Sandbox, SandboxOptions } from '../../src/sandbox/index.ts';
import { tools } from '../../tools/index.ts';
import { type Act, startFaultServer } from '../reliability/fault-server.ts';
import { type Row, the } from './academy.ts';
import { type ClientOptions, connect, type ProgramOptions } from './connect.ts';
import { start } from './sandbox.ts';
import { isWrite } from './writes.ts';

/** An academy, a client of the program, and a proxy between them that records every request and can fail. */
export async function startBetween(
  academy: SandboxOptions = {},
  more: Record<string, string> = {},
  options: ClientOptions & ProgramOptions = {},
) {
  const sandbox = await start(academy);
  const between = await startFaultServer(sandbox.url);
  const settings = { ACADEMY_BASE_URL: between.url, ACADEMY_RATE_LIMIT: 'off', ...more };
  /** Applies a fault to requests with this in their path, by default to every one. */
  const onPath = (part: string, fault: Act, times = 10_000) =>
    between.arm({ name: part, fault, times, match: (_method, path) => path.includes(part) });
  return { sandbox, between, onPath, settings, ...(await connect(settings, options)) };
}

/** The same without reads before a write, for tests of what is written. */
export async function startGuarded(
  settings: Record<string, string> = {},
  options: ClientOptions = {},
  academy: SandboxOptions = {},
) {
  const size = { students: 40, orders: 200, ...academy };
  const started = await startBetween(size, { ACADEMY_PREFLIGHT: 'false', ...settings }, options);
  /** Sent requests that could have changed something, as "POST /api/v1/student/enroll". */
  const writes = () => started.between.log.filter(isWrite).map(({ method, path }) => `${method} ${path}`);
  return { ...started, writes };
}

export type Guarded = Awaited<ReturnType<typeof startGuarded>>;

/** A student who has a bundle and has started one of its courses: each destructive tool would take something away. */
export function holderIn({ academy }: Sandbox, isWanted: (email: string) => boolean = () => true) {
  const holders = academy.students.all().flatMap(({ id, email, name }) =>
    academy.orders.ofStudent(id).flatMap(({ courses, bundles }) => {
      const begun = courses.filter((course) => academy.progress.completed(id, course).length > 2);
      return begun.flatMap((course_id) => bundles.map((bundle_id) => ({ email, name, course_id, bundle_id })));
    }),
  );
  return the(holders, 'student who has begun a course of a bundle', ({ email }) => isWanted(email));
}

export type Holder = ReturnType<typeof holderIn>;

/** Each destructive tool that refuses without consent (others show a plan), with arguments, without confirm, with which it takes something from a student. */
export function lossesOf(holder: Holder): [tool: string, args: Row][] {
  const known = Object.entries({ ...holder, role_id: 1 });
  return tools
    .filter(({ effect, showsPlan }) => effect === 'destroy' && showsPlan !== true)
    .map(({ name, input }) => [name, Object.fromEntries(known.filter(([argument]) => argument in input.shape))]);
}

/** The outcomes of a write that was sent and did what it should: progress may have been 0 before a reset. */
export const done = /^(applied|already_there)$/;

/** The one-time code in a refusal under ACADEMY_CONFIRM=preview. */
export function codeIn(text: string): string {
  const code = /confirm: "([\w-]+)"/.exec(text)?.[1];
  if (code === undefined) throw new Error(`no code in: ${text}`);
  return code;
}
