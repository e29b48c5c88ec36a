import { createLock } from '../shared/lock.ts';
import type { Page } from '../shared/page.ts';
import { askConsent } from './consent.ts';
import { rebased } from './marks.ts';
import type { Drawing, Planning } from './planning.ts';
import { type Answer, type Application, type Applied, apply, loadCourse } from './server.ts';
import { isWished, type State, wantCurrent } from './state.ts';
import { outlineOf, requestedTarget } from './target.ts';
import { doneTexts, reportText, staleText } from './words.ts';

/** A plan that is applied, or one that is undone. */
interface Request {
  readonly application: Application;
  readonly isUndo: boolean;
}

interface ApplyingOptions {
  readonly page: Page;
  readonly state: State;
  readonly draw: Drawing;
  readonly planNow: Planning['planNow'];
  /** Receives the function that draws the question again. */
  readonly onQuestion: (drawAgain: () => void) => void;
}

/** The buttons "Apply" and "Undo". A press asks the server what would change, and shows it: it is no consent. */
export function createApplying({ page, state, draw, planNow, onQuestion }: ApplyingOptions) {
  const { host } = page;
  const alone = createLock();

  async function send(request: Request, consent?: true | string): Promise<void> {
    const { course } = state;
    if (course === undefined) return;
    await page.during(consent === undefined ? 'Asking what would change' : 'Applying', async () => {
      await receive(await apply(host, course.id, request.application, consent), request);
    });
  }

  async function receive(answer: Answer, request: Request): Promise<void> {
    if (answer.kind === 'consent') return ask(answer, request);
    if (answer.kind === 'stale') return await renew(answer.why, request);
    if (answer.kind === 'applied') return await settle(answer.applied, request);
    draw.all();
    page.fail(answer.why);
  }

  function ask({ lines, consent }: Extract<Answer, { kind: 'consent' }>, request: Request): void {
    const title = request.isUndo ? 'Undo these changes?' : 'Apply these changes?';
    const agree = () => void alone(() => send(request, consent));
    onQuestion(askConsent(page, { title, lines, consent, agree, cancel: () => draw.all() }).draw);
    page.say('Please read what would change, and confirm');
  }

  async function reload(): Promise<void> {
    if (state.course !== undefined) state.course = await loadCourse(host, state.course.id);
  }

  /** The course was changed by others: shows how, and plans the same moves for the course as it is now. */
  async function renew(why: string, { application: { outline, edits } }: Request): Promise<void> {
    const old = state.course;
    await reload();
    if (old === undefined || state.course === undefined) return;
    const target = rebased(old, requestedTarget(old, { outline }), state.course);
    Object.assign(state, { target, edits, plan: undefined, applied: undefined, notices: [staleText(why)] });
    draw.all(true);
    if (isWished(state)) await planNow();
    page.say(staleText(why));
  }

  async function settle(done: Applied, { isUndo }: Request): Promise<void> {
    await reload();
    const { course } = state;
    if (course === undefined) return;
    const notices = doneTexts(done, isUndo);
    Object.assign(state, { applied: isUndo ? undefined : done, plan: undefined, notices });
    if (done.isVerified) wantCurrent(state, course);
    draw.all(true);
    page.say(notices[0] ?? '');
    host.tellModel(reportText(done, isUndo, course.id));
    if (!done.isVerified && isWished(state)) await planNow();
  }

  return {
    apply: () =>
      void alone(async () => {
        const { plan } = state;
        if (plan === undefined) return;
        const application = { outline: outlineOf(plan.target), edits: plan.edits, version: plan.version };
        await send({ application, isUndo: false });
      }),
    undo: () =>
      void alone(async () => {
        const application = state.applied?.undo;
        if (application !== undefined) await send({ application, isUndo: true });
      }),
  };
}
