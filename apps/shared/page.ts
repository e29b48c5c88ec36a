import type { Json } from '../../src/shared/json.ts';
import { connect, dataOf, type Host, type HostContext } from './bridge.ts';
import { button, element } from './dom.ts';

const withoutTools = 'This client does not let views call tools: ask the assistant for more.';

const loading = 'Loading';

function createParts() {
  return {
    heading: element('h1', {}, loading),
    summary: element('p', { class: 'summary' }),
    controls: element('div', { class: 'controls' }),
    alert: element('div', { class: 'alert', role: 'alert', tabindex: 0, hidden: true }),
    content: element('div', { class: 'content' }),
    notes: element('div', { class: 'notes', tabindex: 0, role: 'note' }),
    status: element('p', { class: 'status', role: 'status' }),
  };
}

function createPage(parts: ReturnType<typeof createParts>, host: Host, mode: Node) {
  const { heading, summary, controls, alert, content, notes, status } = parts;
  const page = {
    host,
    /** The first line, and a second one with the figures that matter most. */
    title: (first: string, second: string) => {
      heading.textContent = first;
      summary.textContent = second;
    },
    /** Replaces the row of controls. `Full screen` comes last. */
    controls: (...all: (Node | undefined)[]) => {
      controls.replaceChildren(...[...all, mode].filter((one) => one !== undefined));
    },
    /** One that is shown already keeps its place in what scrolls. */
    content: (shown: Element) => {
      if (content.firstElementChild !== shown) content.replaceChildren(shown);
    },
    /** Sentences that explain the figures, the most important ones first. */
    notes: (sentences: readonly string[]) => {
      const all = [...(host.canCallTools ? [] : [withoutTools]), ...sentences];
      notes.replaceChildren(...all.map((sentence) => element('p', {}, sentence)));
    },
    /** A short message, read aloud by a screen reader. */
    say: (message: string) => {
      status.textContent = message;
    },
    /** An error, whole. Empty: none. */
    fail: (message: string) => {
      if (message === alert.textContent) return;
      alert.hidden = message === '';
      alert.textContent = message;
      if (message !== '' && heading.textContent === loading) heading.textContent = 'No answer';
    },
    /** Runs a task that waits for the client: the page is busy, and shows an error. */
    during: async (message: string, task: () => Promise<void>) => {
      page.fail('');
      page.say(message);
      document.body.ariaBusy = 'true';
      try {
        await task();
      } catch (error) {
        page.say('');
        page.fail(error instanceof Error ? error.message : String(error));
      } finally {
        document.body.ariaBusy = 'false';
      }
    },
    /** The same for a press. While the page is busy, it does nothing. */
    press: async (message: string, task: () => Promise<void>) => {
      if (document.body.ariaBusy !== 'true') await page.during(message, task);
    },
  };
  return page;
}

export type Page = ReturnType<typeof createPage>;

/** Only the variables of the specification: a client cannot set any other property. */
const variable = /^--(color|font|border|shadow)-[\w-]+$/;

/** The most pixels that a view takes within a conversation. */
const maxInline = 500;

/** The most that the page takes: the screen, or within a conversation, what the client gives. */
function heightLimit({ displayMode, containerDimensions }: HostContext): string {
  if (displayMode === 'fullscreen') return '100vh';
  const { height = maxInline, maxHeight = maxInline } = containerDimensions ?? {};
  return `${Math.max(280, Math.min(maxInline, height, maxHeight))}px`;
}

/** Takes on the look and the room of the client. Without a look, the page follows the system. */
function applyContext(context: HostContext): void {
  const { theme, styles } = context;
  const { style } = document.documentElement;
  if (theme === 'light' || theme === 'dark') style.colorScheme = theme;
  style.setProperty('--limit', heightLimit(context));
  for (const [name, value] of Object.entries(styles?.variables ?? {})) {
    if (variable.test(name) && value !== undefined) style.setProperty(name, value);
  }
}

/** Switches between the conversation and the full screen, if the client has it. */
function createModeButton(host: Host) {
  const other = () => (host.context().displayMode === 'fullscreen' ? 'inline' : 'fullscreen');
  const made = button('⤢', () => void host.requestMode(other()).catch(() => {}), { id: 'mode', class: 'mode' });
  const update = () => {
    made.hidden = !(host.context().availableDisplayModes ?? []).includes(other());
    made.title = other() === 'inline' ? 'Exit full screen' : 'Full screen';
    made.ariaLabel = made.title;
  };
  return { element: made, update };
}

/** Shows an answer of the tool. `args`: those of the assistant's call. */
export type ShowAnswer = (answer: Json, args: Json) => void | Promise<void>;

/** Fills the page, connects it to the client, and returns once the client may send a result. */
export async function openPage(name: string, createView: (page: Page) => ShowAnswer): Promise<void> {
  const parts = createParts();
  document.getElementById('view')?.append(...Object.values(parts));
  const host = await connect(name);
  const mode = createModeButton(host);
  const page = createPage(parts, host, mode.element);
  const show = createView(page);
  host.listen({
    onResult: (result, args) => void page.during('', async () => show(dataOf(result), args)),
    onCancelled: (reason) => page.title('Cancelled', reason),
    onContext: (context) => {
      applyContext(context);
      mode.update();
    },
  });
}
