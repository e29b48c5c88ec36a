import { currentTarget, type Target } from '../../src/insights/outline/target.ts';
import type { Json } from '../../src/shared/json.ts';
import { button, element, scrollArea } from '../shared/dom.ts';
import { openPage, type Page, type ShowAnswer } from '../shared/page.ts';
import { capitalized, number, record } from '../shared/values.ts';
import {
  type Answer,
  type Application,
  type Applied,
  applicationOf,
  apply,
  loadCourse,
  makePlan,
  type Plan,
  readPlan,
  type ShownCourse,
} from './server.ts';
import { editsOf, isSame, rebased, requestedTarget } from './target.ts';
import { courseText, doneTexts, partTexts, planText, reportText, staleText } from './texts.ts';
import { createTree, type TreeState } from './tree.ts';

type Consent = Extract<Answer, { kind: 'consent' }>;

/** Milliseconds in which the second press of a double click would hit the button that agrees. */
const pause = 500;

function codeLine(code: string): HTMLElement {
  return element('p', {}, 'Code of this plan, valid once, for 5 minutes: ', element('code', {}, code));
}

/** The button that agrees works once every line was shown, and not at once: the press that began this is no consent. */
function askConsent(
  page: Page,
  { lines, consent }: Consent,
  title: string,
  agree: () => void,
  cancel: () => void,
): void {
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

/** How long the view waits for the next move before it asks for a plan, in milliseconds. */
const planPause = 600;

interface State extends TreeState {
  readonly course: ShownCourse;
  readonly plan?: Plan | undefined;
  /** The last plan that was applied here, which can be undone. */
  readonly applied?: Applied | undefined;
  readonly notices: readonly string[];
}

const unchanged = (course: ShownCourse): State => ({ course, target: currentTarget(course), edits: [], notices: [] });

function createView(page: Page): ShowAnswer {
  const { host } = page;
  let state = unchanged({ id: 0, title: '', lists: [] });
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Plans of earlier wishes are dropped. */
  let lastWish = 0;
  const tree = createTree(page, want);

  /** Whether the person or the assistant wants anything else than the course as it is. */
  function isWished(): boolean {
    return state.edits.length > 0 || !isSame(state.target, currentTarget(state.course));
  }

  async function planNow(): Promise<void> {
    const mine = lastWish;
    await page.during('Making a plan', async () => {
      const plan = await makePlan(host, state.course.id, state);
      if (mine !== lastWish) return;
      state = { ...state, plan };
      draw();
      page.say(planText(plan));
    });
  }

  function startOver(next: State): void {
    clearTimeout(timer);
    lastWish += 1;
    state = { ...next, plan: undefined, notices: [] };
  }

  /** A new order, moved by the person: a plan follows as soon as they pause. */
  function want(target: Target): void {
    startOver({ ...state, target });
    if (isWished()) timer = setTimeout(() => void planNow(), planPause);
    drawFrame();
  }

  function discard(): void {
    startOver({ ...unchanged(state.course), applied: state.applied });
    page.fail('');
    draw(true);
    page.say('The plan was discarded');
  }

  /** Asks the server what would change, which it shows: only the second call, with `consent`, changes anything. */
  async function send(application: Application, consent?: true | string): Promise<void> {
    await page.press(consent === undefined ? 'Asking what would change' : 'Applying', async () => {
      await receive(await apply(host, state.course.id, application, consent), application);
    });
  }

  async function receive(answer: Answer, application: Application): Promise<void> {
    if (answer.kind === 'consent') return ask(answer, application);
    if (answer.kind === 'stale') return await renew(answer.why, application);
    if (answer.kind === 'applied') return await settle(answer.applied, application);
    draw();
    page.fail(answer.why);
  }

  function ask(answer: Consent, application: Application): void {
    const title = application.isUndo ? 'Undo these changes?' : 'Apply these changes?';
    const agree = () => void send(application, answer.consent);
    askConsent(page, answer, title, agree, () => draw());
    page.say('Please read what would change, and confirm');
  }

  /** The course was changed by others: shows how, and plans the same moves for the course as it is now. */
  async function renew(why: string, { args }: Application): Promise<void> {
    const old = state.course;
    const course = await loadCourse(host, old.id);
    const target = rebased(old, requestedTarget(old, { outline: args.outline }), course);
    state = { course, target, edits: editsOf(args.lessons), notices: [staleText(why)] };
    draw(true);
    if (isWished()) await planNow();
    page.say(staleText(why));
  }

  async function settle(done: Applied, { isUndo }: Application): Promise<void> {
    const course = await loadCourse(host, state.course.id);
    const notices = doneTexts(done, isUndo);
    const wish = done.isVerified ? unchanged(course) : { ...state, course, plan: undefined };
    state = { ...wish, applied: isUndo ? undefined : done, notices };
    draw(true);
    page.say(notices[0] ?? '');
    host.tellModel(reportText(done, isUndo, course.id));
    if (!done.isVerified && isWished()) await planNow();
  }

  function controls(): (Node | undefined)[] {
    const { plan, applied } = state;
    const begin = (application: Application) => () => void send(application);
    if (!host.canCallTools) return [];
    if (!isWished()) return [applied?.undo && button('Undo', begin(applied.undo), { id: 'undo' })];
    const canApply = plan !== undefined && plan.writes > 0;
    const press = canApply ? begin(applicationOf(plan)) : () => {};
    return [
      button('Apply', press, { id: 'apply', class: 'main', disabled: !canApply }),
      button('Discard', discard, { id: 'discard' }),
    ];
  }

  function summary(): string {
    if (state.plan !== undefined) return planText(state.plan);
    return isWished() ? 'Making a plan' : courseText(state.course, host.canCallTools);
  }

  function drawFrame(): void {
    const { course, notices, plan } = state;
    page.title(course.title || `Course ${course.id}`, summary());
    page.controls(...controls());
    page.notes([...notices, ...(plan?.warnings.map((one) => `${capitalized(one)}.`) ?? [])]);
  }

  /** `isNew`: scrolls to the first change. */
  function draw(isNew = false): void {
    drawFrame();
    page.content(tree.element);
    tree.show(state, isNew);
  }

  async function receiveStructure(data: Json, args: Json): Promise<void> {
    const id = number(record(data.course).id) ?? number(args.course_id) ?? 0;
    // An answer from a cursor on has only the rest of the course.
    const isUsable = args.cursor === undefined || !host.canCallTools;
    const course = await loadCourse(host, id, isUsable ? data : undefined);
    state = { ...unchanged(course), notices: partTexts(course, number(data.lesson_count)) };
    draw(true);
  }

  async function receivePlan(data: Json, args: Json): Promise<void> {
    const edits = editsOf(args.lessons);
    if (!host.canCallTools) return drawLines(readPlan(data, { target: [], edits }));
    const course = await loadCourse(host, number(data.course_id) ?? 0);
    const target = requestedTarget(course, args);
    const plan = readPlan(data, { target, edits });
    state = { course, target, edits, plan, notices: [] };
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

  return async (data, args) => {
    startOver(state);
    await (data.base_version === undefined ? receiveStructure(data, args) : receivePlan(data, args));
  };
}

/** Lines of text. `onEnd`: their end was in sight. */
function createLines(lines: readonly string[], label: string, onEnd = () => {}): HTMLElement {
  const items = lines.map((line) => element('li', {}, line));
  const area = scrollArea(label, element('ol', { class: 'facts' }, ...items));
  const look = () => {
    if (area.scrollTop + area.clientHeight + 1 >= area.scrollHeight) onEnd();
  };
  area.addEventListener('scroll', look);
  // Also once it has its size: short lines need no scrolling.
  new ResizeObserver(look).observe(area);
  return area;
}

void openPage('outline', createView);
