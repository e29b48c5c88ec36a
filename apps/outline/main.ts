import { outlineOf } from '../../src/insights/outline/target.ts';
import type { Json } from '../../src/shared/json.ts';
import { createLock, dataOf } from '../shared/bridge.ts';
import { button, element } from '../shared/dom.ts';
import { createLines } from '../shared/fit.ts';
import { openPage, type Page, type PageEvents } from '../shared/page.ts';
import { number, record } from '../shared/values.ts';
import {
  createPlanning,
  type Drawing,
  doneTexts,
  emptyState,
  isWished,
  type Planning,
  partTexts,
  planText,
  reportText,
  type State,
  staleText,
  summaryText,
  wantCurrent,
} from './planning.ts';
import { type Answer, type Application, type Applied, apply, loadCourse, type Plan, readPlan } from './server.ts';
import { editsOf, rebased, requestedTarget } from './target.ts';
import { createTree } from './tree.ts';

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
function askConsent(page: Page, { title, lines, consent, agree, cancel }: Question): void {
  const label = consent === true ? 'Yes, apply now' : `Apply with code ${consent}`;
  const yes = button(label, agree, { id: 'agree', class: 'main', disabled: true });
  let [isEarly, isSeen] = [true, false];
  const allow = () => {
    yes.disabled = isEarly || !isSeen;
  };
  const shown = createLines(lines, title, () => {
    isSeen = true;
    allow();
  });
  const heading = element('h2', { tabindex: -1, id: 'consent' }, title);
  const code = consent === true ? undefined : codeLine(consent);
  page.notes(['The first button works once you have seen every line.']);
  page.controls(yes, button('Cancel', cancel, { id: 'cancel' }));
  page.content(element('section', { 'aria-labelledby': 'consent' }, heading, code, shown));
  heading.focus();
  setTimeout(() => {
    isEarly = false;
    allow();
  }, pause);
}

interface Request {
  readonly application: Application;
  readonly isUndo: boolean;
}

interface ApplyingOptions {
  readonly page: Page;
  readonly state: State;
  readonly draw: Drawing;
  readonly planNow: Planning['planNow'];
}

/** The buttons "Apply" and "Undo". A press asks the server what would change, and shows it: it is no consent. */
function createApplying({ page, state, draw, planNow }: ApplyingOptions) {
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
    askConsent(page, { title, lines, consent, agree, cancel: () => draw.all() });
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

function createView(page: Page): PageEvents {
  const { host } = page;
  const state = emptyState();
  let args: Json = {};
  const tree = createTree(page, (target) => planning.want(target));
  const drawing = { all: draw, frame: drawFrame };
  const planning = createPlanning(page, state, drawing);
  const { planNow } = planning;
  const applying = createApplying({ page, state, draw: drawing, planNow });

  function controls(): (Node | undefined)[] {
    if (!host.canCallTools) return [];
    const { plan, applied } = state;
    if (!isWished(state)) {
      return [applied?.undo === undefined ? undefined : button('Undo', applying.undo, { id: 'undo' })];
    }
    const isReady = plan !== undefined && plan.writes > 0;
    return [
      button('Apply', applying.apply, { id: 'apply', class: 'main', disabled: !isReady }),
      button('Discard', planning.discard, { id: 'discard' }),
    ];
  }

  function drawFrame(): void {
    const { course, notices, plan } = state;
    if (course === undefined) return;
    page.title(course.title || `Course ${course.id}`, summaryText(state, host.canCallTools));
    page.controls(...controls());
    const warnings = plan?.warnings.map((one) => `${one.charAt(0).toUpperCase()}${one.slice(1)}.`) ?? [];
    page.notes([...notices, ...warnings]);
  }

  function draw(isNew = false): void {
    const { course, target, edits } = state;
    if (course === undefined) return;
    drawFrame();
    page.content(tree.element);
    tree.show({ course, target, edits }, isNew);
  }

  async function receiveStructure(data: Json): Promise<void> {
    const id = number(record(data.course).id) ?? number(args.course_id) ?? 0;
    // An answer from a cursor on has only the rest of the course.
    const isUsable = args.cursor === undefined || !host.canCallTools;
    const course = await loadCourse(host, id, isUsable ? data : undefined);
    wantCurrent(state, course);
    state.notices = partTexts(course, number(data.lesson_count));
    draw(true);
  }

  async function receivePlan(data: Json): Promise<void> {
    const edits = editsOf(args.lessons);
    if (!host.canCallTools) return drawLines(readPlan(data, { target: [], edits }));
    const course = await loadCourse(host, number(data.course_id) ?? 0);
    const target = requestedTarget(course, args);
    const plan = readPlan(data, { target, edits });
    Object.assign(state, { course, target, edits, plan });
    draw(true);
    page.say(planText(plan));
  }

  /** Without the course itself, the lines of the answer show it. */
  function drawLines(plan: Plan): void {
    page.title(`Plan of ${plan.title}`, planText(plan));
    page.controls();
    page.notes(plan.warnings);
    page.content(createLines(plan.lines, 'Plan'));
  }

  return {
    onInput: (given) => {
      args = given;
    },
    onResult: (result) => {
      void page.during('', async () => {
        const data = dataOf(result);
        Object.assign(state, emptyState());
        await (data.base_version === undefined ? receiveStructure(data) : receivePlan(data));
      });
    },
  };
}

void openPage('outline', createView);
