import type { Json } from '../../src/shared/json.ts';
import { createLock } from '../shared/bridge.ts';
import { button, element } from '../shared/dom.ts';
import { createLines } from '../shared/fit.ts';
import { openPage, type Page, type ShowAnswer } from '../shared/page.ts';
import { number, record } from '../shared/values.ts';
import {
  createPlanning,
  type Drawing,
  doneTexts,
  emptyState,
  isWished,
  partTexts,
  planText,
  reportText,
  type State,
  staleText,
  summaryText,
  wantCurrent,
} from './planning.ts';
import {
  type Answer,
  type Application,
  type Applied,
  applicationOf,
  apply,
  loadCourse,
  type Plan,
  readPlan,
  type ShownCourse,
} from './server.ts';
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

/** The buttons "Apply" and "Undo". A press asks the server what would change, and shows it: it is no consent. */
function createApplying(page: Page, state: State, draw: Drawing, planNow: () => Promise<void>) {
  const { host } = page;
  const alone = createLock();

  async function send(application: Application, consent?: true | string): Promise<void> {
    const { course } = state;
    if (course === undefined) return;
    await page.during(consent === undefined ? 'Asking what would change' : 'Applying', async () => {
      await receive(await apply(host, course.id, application, consent), application, course);
    });
  }

  async function receive(answer: Answer, application: Application, course: ShownCourse): Promise<void> {
    if (answer.kind === 'consent') return ask(answer, application);
    if (answer.kind === 'stale') return await renew(answer.why, application, course);
    if (answer.kind === 'applied') return await settle(answer.applied, application, course.id);
    draw.all();
    page.fail(answer.why);
  }

  function ask({ lines, consent }: Extract<Answer, { kind: 'consent' }>, application: Application): void {
    const title = application.isUndo ? 'Undo these changes?' : 'Apply these changes?';
    const agree = () => void alone(() => send(application, consent));
    askConsent(page, { title, lines, consent, agree, cancel: () => draw.all() });
    page.say('Please read what would change, and confirm');
  }

  /** The course was changed by others: shows how, and plans the same moves for the course as it is now. */
  async function renew(why: string, { args }: Application, old: ShownCourse): Promise<void> {
    const course = await loadCourse(host, old.id);
    const target = rebased(old, requestedTarget(old, { outline: args.outline }), course);
    const notices = [staleText(why)];
    Object.assign(state, { ...emptyState(), course, target, edits: editsOf(args.lessons), notices });
    draw.all(true);
    if (isWished(state)) await planNow();
    page.say(staleText(why));
  }

  async function settle(done: Applied, { isUndo }: Application, course_id: number): Promise<void> {
    state.course = await loadCourse(host, course_id);
    const notices = doneTexts(done, isUndo);
    Object.assign(state, { applied: isUndo ? undefined : done, plan: undefined, notices });
    if (done.isVerified) wantCurrent(state, state.course);
    draw.all(true);
    page.say(notices[0] ?? '');
    host.tellModel(reportText(done, isUndo, course_id));
    if (!done.isVerified && isWished(state)) await planNow();
  }

  return (application: Application | undefined) => {
    if (application !== undefined) void alone(() => send(application));
  };
}

function createView(page: Page): ShowAnswer {
  const { host } = page;
  const state = emptyState();
  let args: Json = {};
  const tree = createTree(page, (target) => planning.want(target));
  const drawing = { all: draw, frame: drawFrame };
  const planning = createPlanning(page, state, drawing);
  const { planNow } = planning;
  const begin = createApplying(page, state, drawing, planNow);

  function controls(): (Node | undefined)[] {
    if (!host.canCallTools) return [];
    const { plan, applied } = state;
    const undo = applied?.undo;
    if (!isWished(state)) return [undo === undefined ? undefined : button('Undo', () => begin(undo), { id: 'undo' })];
    const isReady = plan !== undefined && plan.writes > 0;
    const press = () => begin(state.plan && applicationOf(state.plan));
    return [
      button('Apply', press, { id: 'apply', class: 'main', disabled: !isReady }),
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

  return async (data, given) => {
    args = given;
    Object.assign(state, emptyState());
    await (data.base_version === undefined ? receiveStructure(data) : receivePlan(data));
  };
}

void openPage('outline', createView);
