import { ending } from '../../shared/shutdown.ts';

/** What a person said to a question. */
export type HumanAnswer = 'agreed' | 'declined';

/**
 * Puts a question to the human at the other end. `subject` is what exactly they are asked about: an answer counts for
 * that alone. Where the answer comes with a later request (2026-07-28), it throws `ElicitationRequired`.
 */
export type AskHuman = (question: string, subject: string) => Promise<HumanAnswer>;

/** Waits for the person no longer than the program runs: the call has sent nothing yet, and can say so. */
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

/** The call cannot go on before a person has answered: it is made anew, from its start, with the answer. Nothing has been sent. */
export class ElicitationRequired extends Error {
  override readonly name = 'ElicitationRequired';
  readonly question: string;
  readonly subject: string;

  constructor(question: string, subject: string) {
    super('a person has to answer first');
    this.question = question;
    this.subject = subject;
  }
}

/** The form that the person gets, as JSON Schema. */
export const agreementForm = {
  type: 'object' as const,
  properties: { agree: { type: 'boolean' as const, title: 'Do it', description: 'Leave it off to refuse.' } },
  required: ['agree'],
};

/** Only an accepted form with the box ticked is consent. */
export function readAgreement({ action, content }: { action: string; content?: unknown }): HumanAnswer {
  const given: unknown = content;
  const isTicked = typeof given === 'object' && given !== null && 'agree' in given && given.agree === true;
  return action === 'accept' && isTicked ? 'agreed' : 'declined';
}
