import { once } from 'node:events';
import { ending } from '../../shared/shutdown.ts';

export type HumanAnswer = 'agreed' | 'declined';

/**
 * Asks the person who uses the client. `subject` identifies exactly what the question is about: the answer counts only for
 * that. If the answer comes with a later request (2026-07-28), it throws `ElicitationRequired`.
 */
export type AskHuman = (question: string, subject: string) => Promise<HumanAnswer>;

/** Many clients give a request up after 60 s without progress; a person may take longer. Milliseconds. */
const signMs = 15_000;

type Report = (done: number, total: undefined, message: string) => void;

/**
 * Reports every 15 s that the call waits for the person. Stops waiting when the program ends: the call has sent nothing yet,
 * and its error says so.
 */
export function askUntil(end: AbortSignal, askHuman: AskHuman, progress: Report): AskHuman {
  return async (question, subject) => {
    if (end.aborted) throw ending();
    const signs = setInterval(() => progress(0, undefined, 'waiting for a person to answer'), signMs).unref();
    const over = new AbortController();
    try {
      const answered = askHuman(question, subject);
      const ended = once(end, 'abort', { signal: over.signal }).then(() => Promise.reject(ending()));
      return await Promise.race([answered, ended]);
    } finally {
      clearInterval(signs);
      over.abort();
    }
  };
}

/** The call needs a person's answer first: the client repeats it from its start, with the answer. Nothing was sent. */
export class ElicitationRequired extends Error {
  override readonly name = 'ElicitationRequired';
  readonly question: string;
  readonly subject: string;

  constructor(question: string, subject: string) {
    super('a person must answer first');
    this.question = question;
    this.subject = subject;
  }
}

/** The form for the person, as JSON Schema. */
export const agreementForm = {
  type: 'object' as const,
  properties: { agree: { type: 'boolean' as const, title: 'I agree', description: 'Leave unchecked to refuse.' } },
  required: ['agree'],
};

/** Only an accepted form with the box checked is consent. */
export function readAgreement({ action, content }: { action: string; content?: unknown }): HumanAnswer {
  const answer: unknown = content;
  const isTicked = typeof answer === 'object' && answer !== null && 'agree' in answer && answer.agree === true;
  return action === 'accept' && isTicked ? 'agreed' : 'declined';
}
