import type { Json } from '../../src/shared/json.ts';
import { button } from '../shared/dom.ts';
import { openPage, type Page, type PageEvents } from '../shared/page.ts';
import { dataOf } from '../shared/result.ts';
import { heightLimit } from '../shared/theme.ts';
import { number, record } from '../shared/values.ts';
import { createApplying } from './applying.ts';
import { createLines } from './lines.ts';
import { createPlanning, partTexts, planText, summaryText, warningTexts } from './planning.ts';
import { loadCourse, type Plan, readPlan } from './server.ts';
import { emptyState, isWished, wantCurrent } from './state.ts';
import { editsOf, requestedTarget } from './target.ts';
import { createTree } from './tree.ts';

function createView(page: Page): PageEvents {
  const { host } = page;
  const state = emptyState();
  let args: Json = {};
  /** Draws what is shown instead of the course. */
  let drawInstead: (() => void) | undefined;
  const showInstead = (draw: () => void) => {
    drawInstead = draw;
  };
  const tree = createTree(page, (target) => planning.want(target));
  const drawing = { all: draw, frame: drawFrame };
  const planning = createPlanning(page, state, drawing);
  const { planNow } = planning;
  const applying = createApplying({ page, state, draw: drawing, planNow, onQuestion: showInstead });

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
    const { course, notices } = state;
    if (course === undefined) return;
    page.title(course.title || `Course ${course.id}`, summaryText(state, host.canCallTools));
    page.controls(...controls());
    page.notes([], [...notices, ...warningTexts(state, heightLimit(host.context()) !== undefined)]);
  }

  function draw(isNew = false): void {
    const { course, target, edits } = state;
    if (course === undefined) return;
    drawInstead = undefined;
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
    const shown = createLines(host, { lines: plan.lines, label: 'Plan' });
    page.content(shown.element);
    shown.draw();
    showInstead(shown.draw);
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
    onResize: () => (drawInstead ?? draw)(),
  };
}

void openPage('outline', createView);
