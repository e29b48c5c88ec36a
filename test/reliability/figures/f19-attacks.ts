import { type Attack, createGround } from '../f19/attack.ts';
import { attacks } from '../f19/index.ts';
import { type Figure, type FigureResult, firstFailures, type Size } from '../figure.ts';

/** The targets of the attacks, by their numbers in the catalog. */
const points: readonly string[] = [
  'very long texts',
  'half-open connections',
  'memory',
  'endless pages',
  'long refusals',
  'arguments hidden from a confirmation',
  'titles and names with invisible characters',
  'the extent of a revocation',
  'ids without names',
  'lockdown',
  'writes that look identical',
  'the audit log',
  'callers with the same name',
  'forged fields in text',
  'cursors',
  'origins',
  'licences',
  'cells that a spreadsheet runs',
  'text of members without a mark',
  'ways around toolsets and lockdown',
  'prices that change by much',
  'names of existing students',
  'exports of other callers',
  'errors of statements that repeat text',
  'consents on other replicas',
];

/** Every sixth quick attack of each point, starting with its first. */
function representative(all: readonly Attack[]): readonly Attack[] {
  return points.flatMap((_words, index) => {
    const own = all.filter(({ point, isLong }) => point === index + 1 && isLong !== true);
    return own.filter((_attack, place) => place % 6 === 0);
  });
}

interface Tried {
  readonly attack: Attack;
  readonly why: string | undefined;
}

async function tryOne(attack: Attack): Promise<Tried> {
  const ground = createGround();
  const attempt = attack.attempt(ground).catch((error: unknown) => `it threw ${error}`);
  const why = await attempt.finally(ground.clear);
  return { attack, why };
}

async function run(size: Size): Promise<FigureResult> {
  const tried: Tried[] = [];
  for (const attack of size === 'whole' ? attacks : representative(attacks)) tried.push(await tryOne(attack));
  const broken = tried.filter(({ why }) => why !== undefined);
  const ofPoint = (index: number) => tried.filter(({ attack }) => attack.point === index + 1);
  return {
    tried: `${tried.length} attacks on ${points.length} promises, through the public interface: real clients, real HTTP, the built program${size === 'whole' ? '' : '; a sample'}`,
    result: `${tried.length - broken.length} of ${tried.length} blocked`,
    reached: broken.length === 0 && points.every((_words, index) => size === 'short' || ofPoint(index).length >= 4),
    details: points.map((words, index) => {
      const own = ofPoint(index);
      return `${words}: ${own.length} tried, ${own.filter(({ why }) => why === undefined).length} blocked`;
    }),
    failures: firstFailures(broken.map(({ attack, why }) => `${attack.point}, ${attack.words}: ${why}`)),
    zeros: broken.length === 0 ? [{ what: 'attacks that were not blocked', of: tried.length }] : [],
  };
}

/** Nothing in it is random. */
export const figure: Figure = {
  id: 'F19',
  title: 'Attacks blocked',
  target: 'each attack is blocked; at least 4 attacks on each promise',
  run,
};
