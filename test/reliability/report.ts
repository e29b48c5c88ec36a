import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { type Figure, type FigureResult, ruleOfThree } from './figure.ts';

/** What a whole run of one figure brought. */
export interface Measured {
  readonly id: string;
  readonly result: FigureResult;
  readonly seconds: number;
  readonly seed: number;
  /** Day of the run, ISO 8601. */
  readonly date: string;
  /** The commit that was measured, abbreviated. */
  readonly commit: string;
}

const results = new URL('../../docs/reliability.json', import.meta.url);
const report = new URL('../../docs/reliability.md', import.meta.url);

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();
const cell = (text: string) => oneLine(text).replaceAll('|', '\\|');
const row = (...cells: string[]) => `| ${cells.map(cell).join(' | ')} |`;

function verdict({ reached, failures }: FigureResult): string {
  if (reached) return 'yes';
  return failures.length === 0 ? 'no, see below' : `no: ${failures.length} failures, see below`;
}

type Published = Measured & { readonly figure: Figure };

function table(published: readonly Published[]): string[] {
  const rows = published.map(({ figure: { id, title, target }, result, seed, date, commit }) =>
    row(
      `${id} ${title}`,
      result.tried,
      target,
      result.result,
      verdict(result),
      `${date}, ${commit}`,
      `\`npm run reliability -- ${id} --seed ${seed}\``,
    ),
  );
  const titles = ['Figure', 'What was tried', 'Target', 'Result', 'Reached', 'Measured', 'How to repeat'];
  return [row(...titles), row(...titles.map(() => '---')), ...rows];
}

function machine(): string {
  const [cpu] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${availableParallelism()} cores (${cpu?.model.trim() ?? 'unknown'}), ${memory} GiB, Node ${process.versions.node}, ${process.platform}`;
}

function notes({ figure, result }: Published): string[] {
  const lines = [...(result.details ?? []), ...result.failures.map((failure) => `failure: ${failure}`)];
  return lines.length === 0
    ? []
    : [`### ${figure.id} ${figure.title}`, '', ...lines.map((line) => `- ${oneLine(line)}`), ''];
}

function zeros(published: readonly Published[]): string[] {
  const claims = published.flatMap(({ id, result }) =>
    (result.zeros ?? []).map(
      ({ what, of }) => `- ${id}: ${what}, 0 of ${of.toLocaleString('en')}: ${ruleOfThree(of)}.`,
    ),
  );
  if (claims.length === 0) return [];
  return [
    '## What a zero says',
    '',
    'Nothing seen in n tries means, at 95% confidence, a rate below 3/n (the rule of three).',
    '',
    ...claims,
    '',
  ];
}

/** The text of docs/reliability.md; a figure that was never measured has no row. */
export function reportOf(figures: readonly Figure[], measured: readonly Measured[]): string {
  const published = figures.flatMap((figure) =>
    measured.filter(({ id }) => id === figure.id).map((one) => ({ ...one, figure })),
  );
  const lines = [
    '# Reliability, in figures',
    '',
    '<!-- Made by `npm run reliability`; changes by hand are lost. -->',
    '',
    `The last run was on ${machine()}. Each row names the day and the commit of its own run.`,
    'Each figure is a program in `test/reliability/figures/`; all randomness comes from the seed. A short form of each',
    'runs with `npm test`.',
    '',
    ...table(published),
    '',
    ...zeros(published),
    '## Notes',
    '',
    ...published.flatMap(notes),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}

/** Writes docs/reliability.json and docs/reliability.md; figures that were not run keep what they had. */
export async function publish(figures: readonly Figure[], measured: readonly Measured[]): Promise<void> {
  const before: Measured[] = JSON.parse(await readFile(results, 'utf8'));
  const isNew = ({ id }: Measured) => measured.some((one) => one.id === id);
  const all = [...before.filter((one) => !isNew(one)), ...measured];
  const order = new Map(figures.map(({ id }, index) => [id, index]));
  const sorted = all.sort((one, other) => (order.get(one.id) ?? 0) - (order.get(other.id) ?? 0));
  await writeFile(results, `${JSON.stringify(sorted, undefined, 2)}\n`);
  await writeFile(report, reportOf(figures, sorted));
}
