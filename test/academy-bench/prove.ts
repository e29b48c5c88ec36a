import type { Row } from '../support/academy.ts';
import { inScope } from '../support/at-end.ts';
import { connect, unlimited } from '../support/connect.ts';
import { openWorld, type World } from './academy.ts';
import { type Call, type Oracle, type Rule, type Score, score, type Task, truthOf } from './task.ts';

// Proof of the graders: the oracle of each task scores 1, and what is wrong scores 0, for the reason it is wrong.

/** A scripted play with our tools: its score, its cost, and all that the tools answered, in both forms. */
interface Played extends Score {
  readonly calls: number;
  readonly texts: string;
  readonly structured: string;
}

function get(data: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((at, key) => (at as Row | undefined)?.[key], data);
}

async function openTools(world: World, settings: Record<string, string> = {}) {
  const program = await connect(unlimited(world.url, world.apiKey, { LOG_LEVEL: 'silent', ...settings }));
  const answers: { text: string; data: Row | undefined }[] = [];
  const call: Call = async (tool, args = {}) => {
    const { code, text, structured: data } = await program.call(tool, args);
    answers.push({ text, data });
    const at = (path: string): unknown => {
      const value = get(data, path);
      if (value === undefined) throw new Error(`${tool} has no ${path}: ${text.slice(0, 400)}`);
      return value;
    };
    return {
      code,
      text,
      data: data ?? {},
      get: (path) => String(at(path)),
      rows: (path) => at(path) as Row[],
      emails: (path) => (at(path) as Row[]).map(({ email }) => email).join('\n'),
      entries: (path) => Object.entries(at(path) as Row),
    };
  };
  return { call, answers };
}

export const play = (task: Task, solve: Oracle, settings?: Record<string, string>): Promise<Played> =>
  inScope(async () => {
    const world = await openWorld(task.arrangement);
    const { call, answers } = await openTools(world, settings);
    const answer = await solve({ call, academy: world.academy });
    const result = await score(task, world, answer);
    const structured = answers.map(({ text, data }) => (data === undefined ? text : JSON.stringify(data)));
    const texts = answers.map(({ text }) => text);
    return { ...result, calls: answers.length, texts: texts.join('\n'), structured: structured.join('\n') };
  });

/** Required facts that the tools did not state in one of the forms of answers: whoever reads only that form cannot know them. */
async function ungrounded(task: Task, { texts, structured }: Played): Promise<string[]> {
  const { academy } = await truthOf(task);
  const facts = (task.says?.(academy) ?? []).flatMap((fact) => fact.sources ?? [fact]);
  return Object.entries({ texts, structured }).flatMap(([form, text]) =>
    facts.filter(({ isIn }) => !isIn(text)).map(({ what }) => `${what} is not in the ${form}`),
  );
}

/** All that the lists of the API hold: whoever pastes it has said every fact, and answered nothing. */
async function everything({ send }: World): Promise<string> {
  const lists = ['courses', 'courses/roles', 'bundles', 'digital_products', 'products?limit=25', 'orders?status=all'];
  const people = ['students', 'students?page=2', 'students?page=3', 'students/completions', 'students/answers'];
  const others = ['community/groups', 'community/channels?limit=50', 'students/project-posts', 'account'];
  const posts = Array.from({ length: 13 }, (_, index) => `community/channels/${index + 1}/posts?per_page=100`);
  const paths = [...lists, ...people, ...others, ...posts];
  const answers = await Promise.all(paths.map((path) => send(['GET', `/api/v1/${path}`])));
  return answers.map((answer) => JSON.stringify(answer)).join('\n');
}

async function silentPlay(task: Task): Promise<{ nothing: Score; dump: Score }> {
  const world = await openWorld(task.arrangement);
  const nothing = await score(task, world, '');
  const dump = await score(task, world, await everything(world));
  return { nothing, dump };
}

interface Proof {
  readonly failures: string[];
  plays: number;
  saboteurs: number;
}

const reasons = ({ failures }: Score) => failures.map(({ rule, what }) => `${rule}: ${what}`).join('; ');

/** At most this many saboteurs of each task; default: all. */
export async function prove(task: Task, most = Number.POSITIVE_INFINITY): Promise<Proof> {
  const proof: Proof = { failures: [], plays: 0, saboteurs: 0 };
  const fail = (text: string) => void proof.failures.push(`${task.name}: ${text}`);
  const right = await play(task, task.oracle);
  if (right.reward !== 1) fail(`the oracle scores 0: ${reasons(right)}`);
  for (const line of await ungrounded(task, right)) fail(line);
  const { nothing, dump } = await inScope(() => silentPlay(task));
  if (nothing.reward !== 0) fail('doing nothing scores 1');
  if (dump.reward !== 0) fail('saying everything scores 1');
  proof.plays = 3;
  const saboteurs = Object.entries(task.saboteurs).flatMap(([rule, named]) =>
    Object.entries(named).map(([name, solve]) => ({ rule: rule as Rule, name, solve })),
  );
  if (saboteurs.length < 3) fail(`${saboteurs.length} saboteurs, of at least 3`);
  for (const { rule, name, solve } of saboteurs.slice(0, most)) {
    const wrong = await play(task, (given) => solve({ ...given, oracle: () => task.oracle(given) }));
    proof.plays += 1;
    proof.saboteurs += 1;
    if (wrong.reward !== 0) fail(`"${name}" scores 1`);
    else if (!wrong.failures.some((failure) => failure.rule === rule))
      fail(`"${name}" is not caught by ${rule}: ${reasons(wrong)}`);
  }
  return proof;
}

export async function proveAll(tasks: readonly Task[], most?: number): Promise<Proof> {
  const whole: Proof = { failures: [], plays: 0, saboteurs: 0 };
  for (const task of tasks) {
    const proof = await prove(task, most).catch((error: unknown) => {
      throw new Error(`${task.name}: ${String(error)}`);
    });
    whole.failures.push(...proof.failures);
    whole.plays += proof.plays;
    whole.saboteurs += proof.saboteurs;
  }
  return whole;
}
