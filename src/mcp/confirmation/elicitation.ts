import { ending } from '../../shared/shutdown.ts';

/** A person's answer to a question. */
export type HumanAnswer = 'agreed' | 'declined';

/**
 * Asks the person who uses the client. `subject` identifies exactly what the question is about: the answer counts only for
 * that. If the answer comes with a later request (2026-07-28), it throws `ElicitationRequired`.
 */
export type AskHuman = (question: string, subject: string) => Promise<HumanAnswer>;

/** Stops waiting for the person when the program ends: the call has sent nothing yet, and its error says so. */
export function askUntil(end: AbortSignal, askHuman: AskHuman): AskHuman {
  return (question, subject) =>
    new Promise((resolve, reject) => {
      const stop = () => reject(ending());
      if (end.aborted) return stop();
      end.addEventListener('abort', stop, { once: true });
      const done = () => end.removeEventListener('abort', stop);
      askHuman(question, subject).then(resolve, reject).finally(done);
    });
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
  const given: unknown = content;
  const isTicked = typeof given === 'object' && given !== null && 'agree' in given && given.agree === true;
  return action === 'accept' && isTicked ? 'agreed' : 'declined';
}
