import { button, element } from '../shared/dom.ts';
import type { Page } from '../shared/page.ts';
import { createLock } from '../shared/result.ts';
import { createLines } from './lines.ts';
import { rebased } from './marks.ts';
import type { Drawing, Planning } from './planning.ts';
import { doneTexts, reportText, staleText } from './planning.ts';
import { type Answer, type Application, type Applied, apply, loadCourse } from './server.ts';
import { isWished, type State, wantCurrent } from './state.ts';
import { outlineOf, requestedTarget } from './target.ts';

interface Question {
  readonly title: string;
  readonly lines: readonly string[];
  /** The code that the server wants to see again; true if it wants none. */
  readonly consent: true | string;
  readonly agree: () => void;
  readonly cancel: () => void;
}

/** Milliseconds in which the second press of a double click would hit the button that agrees. */
const pause = 500;

function codeLine(code: string): HTMLElement {
  return element('p', {}, 'Code of this plan, valid once, for 5 minutes: ', element('code', {}, code));
}

/**
 * Shows what the server says a person must agree to. The answer is a button of its own, which works only after every line
 * was shown, and not at once: the press that began this is no consent.
 */
function askConsent(page: Page, { title, lines, consent, agree, cancel }: Question): { draw: () => void } {
  const label = consent === true ? 'Yes, apply now' : `Apply with code ${consent}`;
  const yes = button(label, agree, { id: 'agree', class: 'main', disabled: true });
  const shown = createLines(page.host, { lines, label: title, onDraw: allow });
  const heading = element('h2', { tabindex: -1, id: 'consent' }, title);
  const code = consent === true ? undefined : codeLine(consent);
  let isEarly = true;

  function allow(): void {
    yes.disabled = isEarly || shown.seen() < lines.length;
  }

  page.notes(['The first button works once you have seen every line.']);
  page.controls(yes, button('Cancel', cancel, { id: 'cancel' }));
  page.content(element('section', { 'aria-labelledby': 'consent' }, heading, code, shown.element));
  shown.draw();
  heading.focus();
  setTimeout(() => {
    isEarly = false;
    allow();
  }, pause);
  return { draw: shown.draw };
}

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
