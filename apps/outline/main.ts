import type { Json } from '../../src/shared/json.ts';
import { button, element } from '../shared/dom.ts';
import { createLock, dataOf, openPage, type Page, type PageEvents } from '../shared/page.ts';
import { heightLimit } from '../shared/theme.ts';
import { counted, number, record } from '../shared/values.ts';
import { askConsent } from './consent.ts';
import type { ShownCourse } from './course.ts';
import {
  type Answer,
  type Application,
  type Applied,
  apply,
  loadCourse,
  makePlan,
  type Plan,
  readPlan,
} from './server.ts';
import {
  adapted,
  currentTarget,
  type Edit,
  editsOf,
  isSame,
  outlineOf,
  requestedTarget,
  type Target,
} from './target.ts';
import { createTree } from './tree.ts';

/** How long the view waits for the next move before it asks for a plan, in milliseconds. */
const pause = 600;

function createView(page: Page): PageEvents {
  const { host } = page;
  const tree = createTree(page, want);
  const alone = createLock();
  let args: Json = {};
  let course: ShownCourse | undefined;
  let target: Target = [];
  let edits: readonly Edit[] = [];
  let plan: Plan | undefined;
  let applied: Applied | undefined;
  let notices: readonly string[] = [];
  let redraw: (() => void) | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Plans of earlier wishes are dropped. */
  let wished = 0;

  const isWished = () => course !== undefined && (edits.length > 0 || !isSame(target, currentTarget(course)));

  function planText(shown: Plan): string {
    const time = shown.minutes > 1 ? `about ${shown.minutes} minutes` : 'less than a minute';
    return `${counted(shown.writes, 'lesson')} to write · ${counted(shown.requests, 'request')} · ${time}. Nothing is changed yet.`;
  }

  function summary(): string {
    if (plan !== undefined) return planText(plan);
    if (isWished()) return 'Making a plan';
    const lessons = course?.lists.reduce((sum, list) => sum + list.lessons.length, 0) ?? 0;
    return `${counted(lessons, 'lesson')}${host.canCallTools ? '. Drag a lesson, or press its handle, to plan a new order.' : ''}`;
  }

  /** Whoever applies the plan reads every warning first; within a conversation there is little room before. */
  function warnings(): readonly string[] {
    const all = plan?.warnings ?? [];
    const isBrief = heightLimit(host.context()) !== undefined && all.length > 1;
    return isBrief ? [`${counted(all.length, 'warning')}, shown before anything is applied.`] : all;
  }

  function controls(): (Node | undefined)[] {
    if (!host.canCallTools) return [];
    const ready = plan !== undefined && plan.writes > 0;
    return [
      isWished()
        ? button('Apply', () => void alone(() => begin(application(), false)), {
            id: 'apply',
            class: 'main',
            disabled: !ready,
          })
        : undefined,
      isWished() ? button('Discard', () => void discard(), { id: 'discard' }) : undefined,
      applied?.undo !== undefined && !isWished() ? button('Undo', () => void alone(undo), { id: 'undo' }) : undefined,
    ];
  }

  function draw(isNew = false): void {
    if (course === undefined) return;
    redraw = undefined;
    page.title(course.title || `Course ${course.id}`, summary());
    page.controls(...controls());
    page.notes(...notices, ...warnings());
    page.content(tree.element);
    tree.show({ course, target, edits }, isNew);
  }

  /** A new order, moved by the person: a plan follows as soon as they pause. */
  function want(next: Target): void {
    target = next;
    plan = undefined;
    applied = undefined;
    notices = [];
    clearTimeout(timer);
    wished += 1;
    if (isWished()) timer = setTimeout(() => void planNow(), pause);
    page.title(course?.title ?? '', summary());
    page.controls(...controls());
    page.notes();
  }

  async function planNow(): Promise<void> {
    const mine = wished;
    await page.during('Making a plan', async () => {
      if (course === undefined) return;
      const made = await makePlan(host, course.id, { target, edits });
      if (mine !== wished) return;
      plan = made;
      draw();
      page.say(planText(made));
    });
  }

  function discard(): void {
    if (course === undefined) return;
    wished += 1;
    clearTimeout(timer);
    [target, edits, plan, notices] = [currentTarget(course), [], undefined, []];
    page.fail('');
    draw(true);
    page.say('The plan was discarded');
  }

  const application = (): Application | undefined =>
    plan && { outline: outlineOf(plan.target), edits: plan.edits, version: plan.version };

  async function undo(): Promise<void> {
    if (applied?.undo !== undefined) await begin(applied.undo, true);
  }

  /** Asks the server to apply. It first says what the person has to agree to. */
  async function begin(wish: Application | undefined, isUndo: boolean, consent?: true | string): Promise<void> {
    const current = course;
    if (wish === undefined || current === undefined) return;
    await page.during(consent === undefined ? 'Asking what would change' : 'Applying', async () => {
      await receive(await apply(host, current.id, wish, consent), wish, isUndo);
    });
  }

  async function receive(answer: Answer, wish: Application, isUndo: boolean): Promise<void> {
    if (answer.kind === 'consent') return ask(answer, wish, isUndo);
    if (answer.kind === 'stale') return await renew(answer.why);
    if (answer.kind === 'refused') {
      draw();
      return page.fail(answer.why);
    }
    await settle(answer.applied, isUndo);
  }

  function ask({ lines, consent }: Extract<Answer, { kind: 'consent' }>, wish: Application, isUndo: boolean): void {
    const title = isUndo ? 'Undo these changes?' : 'Apply these changes?';
    const agree = () => void alone(() => begin(wish, isUndo, consent));
    const { draw: drawAgain } = askConsent(page, { title, lines, consent, agree, cancel: () => draw() });
    redraw = drawAgain;
    page.notes();
    page.say('Please read what would change, and confirm');
  }

  async function reload(): Promise<void> {
    if (course !== undefined) course = await loadCourse(host, course.id);
  }

  /** The course was changed by others: shows how, and plans the same wish for the course as it is now. */
  async function renew(why: string): Promise<void> {
    const wanted = target;
    await reload();
    if (course === undefined) return;
    target = adapted(course, wanted);
    plan = undefined;
    notices = [`${why.replace(/\.? ?Nothing was changed\.?$/, '')}. This is a new plan for the course as it is now.`];
    draw(true);
    if (isWished()) await planNow();
    page.say(notices[0] ?? '');
  }

  async function settle(done: Applied, isUndo: boolean): Promise<void> {
    await reload();
    if (course === undefined) return;
    applied = isUndo ? undefined : done;
    plan = undefined;
    if (done.isVerified) [target, edits] = [currentTarget(course), []];
    const what = isUndo ? 'Undone' : 'Applied';
    const words = `${what} and verified: ${counted(done.written, 'lesson')} written.`;
    notices = done.isVerified ? [words] : [`Not finished: ${done.next ?? ''}`, ...done.failures];
    draw(true);
    page.say(notices[0] ?? '');
    const state = done.isVerified ? 'read back and verified' : 'not finished';
    host.tellModel(
      `${isUndo ? 'Undone' : 'Applied'} by the person in the view of course ${course.id}: ${counted(done.written, 'lesson')} written, ${state}.`,
    );
    if (!done.isVerified && isWished()) await planNow();
  }

  async function receiveStructure(data: Json): Promise<void> {
    const id = number(record(data.course).id) ?? number(args.course_id) ?? 0;
    // An answer from a cursor on has only the rest of the course.
    course = await loadCourse(host, id, args.cursor === undefined ? data : undefined);
    [target, edits] = [currentTarget(course), []];
    draw(true);
  }

  async function receivePlan(data: Json): Promise<void> {
    const id = number(data.course_id) ?? 0;
    edits = editsOf(args.lessons);
    if (!host.canCallTools) return drawLines(readPlan(data, { target, edits }));
    course = await loadCourse(host, id);
    target = requestedTarget(course, args);
    plan = readPlan(data, { target, edits });
    draw(true);
    page.say(planText(plan));
  }

  /** Without the course itself, the lines of the answer show it. */
  function drawLines(shown: Plan): void {
    page.title('Plan of a course', planText(shown));
    page.controls();
    page.notes(...shown.warnings);
    page.content(element('pre', { tabindex: 0 }, shown.lines.join('\n')));
  }

  return {
    onInput: (given) => {
      args = given;
    },
    onResult: (result) => {
      void page.during('', async () => {
        const data = dataOf(result);
        [plan, applied, notices] = [undefined, undefined, []];
        await (data.base_version === undefined ? receiveStructure(data) : receivePlan(data));
      });
    },
    onResize: () => (redraw === undefined ? draw() : redraw()),
  };
}

void openPage('outline', createView);
