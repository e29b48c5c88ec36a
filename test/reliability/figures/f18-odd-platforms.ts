import { isFault, judgeSwitch, type Row } from '../../odd/judge/run.ts';
import { switches } from '../../odd/switches/index.ts';
import type { Figure } from '../figure.ts';

const meanings = [
  'right ("correct"): the answer equals the truth and says that it is complete',
  'incomplete ("that say what is missing"): the answer is incomplete or differs from the truth, and says so in its first line and in `structuredContent`',
  'error ("honest errors"): an error that says nothing untrue, and quotes the message of the API if there is one',
  'trusted ("that repeat what the API claimed"): the API reports success for a write that it did not do, and shows nothing that contradicts it; no client can tell',
  'worse ("needlessly in doubt"): a harmless difference turns an answer into an error or an incomplete one',
  'WRONG ("silently wrong"): the answer differs from the truth and does not say so',
  'the process runs in America/Los_Angeles: dates-no-zone reveals a time read in the zone of the machine only away from UTC',
  'classes of meaning and time: well-formed data that changed, contradict another answer, carry a field that the document does not name, are not the whole, or are about another record; the others are of form',
  'needless doubt: answers of the unchanged platform that say that they are incomplete, or are errors',
];

/** "effect-nothing 11": how many answers of each switch are trusted. */
function trustedBySwitch(rows: readonly Row[]): string[] {
  const trusted = rows.filter(({ verdict }) => verdict === 'trusted').map(({ switches: name }) => name);
  const counts = [...new Set(trusted)].map((name) => `${name} ${trusted.filter((other) => other === name).length}`);
  return counts.length === 0 ? [] : [`trusted, by switch: ${counts.join(', ')}`];
}

/** Classes of data that are well formed and mean something else. */
const aboutMeaning: ReadonlySet<string> = new Set([
  ...['clocks', 'marks', 'whole lists', 'meaning of writes', 'another record', 'time', 'changes'],
  ...['meaning of reads', 'effects', 'filters', 'contradictions'],
]);

/** Nothing in it is random. */
export const figure: Figure = {
  id: 'F18',
  title: 'Odd platforms',
  target:
    '0 WRONG over meaning, time and form: no answer differs from the truth without saying so; at most 1 of 50 answers of the unchanged platform says needlessly that it is incomplete',
  run: async () => {
    const rows: Row[] = [];
    for (const one of switches) rows.push(...(await judgeSwitch(one)));
    const count = (verdict: Row['verdict']) => rows.filter((row) => row.verdict === verdict).length;
    const plain = rows.filter(({ switches: name }) => name === 'none');
    const doubts = plain.filter(({ verdict }) => verdict !== 'right').length;
    const ofMeaning = switches.filter((one) => aboutMeaning.has(one.class)).length;
    const faults = rows.filter(isFault);
    const others = `${count('right')} correct, ${count('incomplete')} that say what is missing, ${count('error')} honest errors, ${count('trusted')} that repeat what the API claimed`;
    return {
      tried: `${rows.length} questions to an academy written only from the API document, with one of ${switches.length} switches on, ${ofMeaning} of them of meaning and time`,
      result: `${count('WRONG')} silently wrong, ${count('worse')} needlessly in doubt; ${others}`,
      reached: faults.length === 0 && doubts * 50 <= plain.length,
      details: [
        ...meanings,
        `needless doubt: ${doubts} of ${plain.length} answers of the unchanged platform`,
        ...trustedBySwitch(rows),
      ],
      failures: faults.map((row) => `${row.switches} ${row.probe}: ${row.verdict}: ${row.why}`),
      zeros: count('WRONG') === 0 ? [{ what: 'silently wrong answers', of: rows.length }] : [],
    };
  },
};
