import { availableParallelism, cpus, totalmem } from 'node:os';
import { type Figure, type FigureResult, ruleOfThree } from './figure.ts';

export interface Measured {
  readonly figure: Figure;
  readonly result: FigureResult;
  readonly seconds: number;
}

export interface Circumstances {
  readonly seed: number;
  readonly date: Date;
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();
const cell = (text: string) => oneLine(text).replaceAll('|', '\\|');
const row = (...cells: string[]) => `| ${cells.map(cell).join(' | ')} |`;

function verdict({ reached, failures }: FigureResult): string {
  if (reached) return 'yes';
  return failures.length === 0 ? 'no, see below' : `no: ${failures.length} failures, see below`;
}

function table(measured: readonly Measured[], seed: number): string[] {
  const rows = measured.map(({ figure: { id, title, target }, result }) =>
    row(
      `${id} ${title}`,
      result.tried,
      target,
      result.result,
      verdict(result),
      `\`npm run reliability -- ${id} --seed ${seed}\``,
    ),
  );
  const titles = ['Figure', 'What was tried', 'Target', 'Result', 'Reached', 'How to repeat'];
  return [row(...titles), row(...titles.map(() => '---')), ...rows];
}

function machine({ seed, date }: Circumstances, measured: readonly Measured[]): string {
  const [cpu] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  const minutes = Math.ceil(measured.reduce((sum, { seconds }) => sum + seconds, 0) / 60);
  return [
    `Measured on ${date.toISOString().slice(0, 10)} with seed ${seed}, in ${minutes} minutes,`,
    `on ${availableParallelism()} cores (${cpu?.model.trim() ?? 'unknown'}), ${memory} GiB, Node ${process.versions.node}, ${process.platform}.`,
  ].join('\n');
}

function notes({ figure, result }: Measured): string[] {
  const lines = [...(result.details ?? []), ...result.failures.map((failure) => `failure: ${failure}`)];
  return lines.length === 0
    ? []
    : [`### ${figure.id} ${figure.title}`, '', ...lines.map((line) => `- ${oneLine(line)}`), ''];
}

function zeros(measured: readonly Measured[]): string[] {
  const claims = measured.flatMap(({ figure, result }) =>
    (result.zeros ?? []).map(
      ({ what, of }) => `- ${figure.id}: ${what}, 0 of ${of.toLocaleString('en')}: ${ruleOfThree(of)}.`,
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

/** The text of docs/reliability.md. */
export function reportOf(measured: readonly Measured[], circumstances: Circumstances): string {
  const lines = [
    '# Reliability, in figures',
    '',
    '<!-- Made by `npm run reliability`; changes by hand are lost. -->',
    '',
    machine(circumstances, measured),
    'Each figure is a program in `test/reliability/figures/`; all randomness comes from the seed. A short form of each',
    'runs with `npm test`.',
    '',
    ...table(measured, circumstances.seed),
    '',
    ...zeros(measured),
    '## Notes',
    '',
    ...measured.flatMap(notes),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}
