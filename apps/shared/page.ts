import { announceReady, connect, type Host, type HostContext, type ViewEvents } from './bridge.ts';
import { button, element, icon } from './dom.ts';
import { applyTheme, keepFocus } from './fit.ts';

/** The parts of a page, from top to bottom. */
export interface Page {
  readonly host: Host;
  /** The first line, and a second one with the figures that matter most. */
  title(heading: string, summary?: string): void;
  /** Replaces the row of controls. `Full screen` comes last, if the client has it. */
  controls(...controls: (Node | undefined)[]): void;
  content(...parts: (Node | undefined)[]): void;
  /** Sentences that explain the figures. Within a conversation two lines of them are shown, and more of `important`. */
  notes(sentences: readonly string[], important?: readonly string[]): void;
  /** A short message, read aloud by a screen reader. */
  say(message: string): void;
  /** An error, whole. Empty: none. */
  fail(message: string): void;
  /** Runs a task that waits for the client: the page is busy, and shows an error. */
  during(message: string, task: () => Promise<void>): Promise<void>;
}

export interface PageEvents extends Pick<ViewEvents, 'onInput' | 'onResult'> {
  onResize(): void;
}

const withoutTools = 'This client does not let views call tools: ask the assistant for more.';

const loading = 'Loading';

function createParts() {
  return {
    heading: element('h1', {}, loading),
    summary: element('p', { class: 'summary' }),
    controls: element('div', { class: 'controls' }),
    alert: element('div', { class: 'alert', role: 'alert', tabindex: 0, hidden: true }),
    content: element('div', { class: 'content' }),
    notes: element('div', { class: 'notes' }),
    status: element('p', { class: 'status', role: 'status' }),
  };
}

function paragraphs(sentences: readonly string[], name: string): Node[] {
  if (sentences.length === 0) return [];
  return [element('div', { class: name }, ...sentences.map((sentence) => element('p', {}, sentence)))];
}

type Parts = ReturnType<typeof createParts>;

function createPage(parts: Parts, host: Host, refit: () => void): Page {
  const { heading, summary, controls, alert, content, notes, status } = parts;
  const page: Page = {
    host,
    title: (first, second = '') => {
      heading.textContent = first;
      summary.textContent = second;
    },
    controls: (...all) => {
      controls.replaceChildren(...[...all, modeButton(host)].filter((one) => one !== undefined));
    },
    content: (...all) => content.replaceChildren(...all.filter((one) => one !== undefined)),
    notes: (sentences, important = []) => {
      const first = [...important, ...(host.canCallTools ? [] : [withoutTools])];
      notes.replaceChildren(...paragraphs(first, 'important'), ...paragraphs(sentences, 'more'));
      // Shows the lines that are cut.
      notes.title = [...first, ...sentences].join('\n');
    },
    say: (message) => {
      status.textContent = message;
    },
    fail: (message) => {
      if (message === alert.textContent) return;
      alert.hidden = message === '';
      alert.textContent = message;
      if (message !== '' && heading.textContent === loading) heading.textContent = 'No answer';
      // The message takes room from the rows.
      refit();
    },
    during: async (message, task) => {
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
  };
  return page;
}

/** A view may redraw only its rows after a change of mode: the button changes with every mode. */
function renewModeButton({ controls }: Parts, host: Host): void {
  const next = modeButton(host);
  if (next !== undefined) keepFocus(() => controls.querySelector('#mode')?.replaceWith(next));
}

/** Within a conversation, only a new width counts: the height is that of the page itself. */
function onNewSize(run: () => void): void {
  const size = () => [window.innerWidth, document.documentElement.dataset.mode === 'fullscreen' && window.innerHeight];
  let last = String(size());
  window.addEventListener('resize', () => {
    if (String(size()) === last) return;
    last = String(size());
    run();
  });
}

/** Fills the page, connects it to the client, and returns once the client may send a result. */
export async function openPage(name: string, create: (page: Page) => PageEvents): Promise<void> {
  const parts = createParts();
  document.getElementById('view')?.append(...Object.values(parts));
  let events: PageEvents | undefined;
  let renewMode: (() => void) | undefined;
  const host = await connect(name, {
    onInput: (args) => events?.onInput(args),
    onResult: (result) => events?.onResult(result),
    onCancelled: (reason) => {
      parts.heading.textContent = 'Cancelled';
      parts.summary.textContent = reason ?? '';
    },
    onContext: (context: HostContext) => {
      applyTheme(context);
      renewMode?.();
      events?.onResize();
    },
  });
  renewMode = () => renewModeButton(parts, host);
  events = create(createPage(parts, host, () => events?.onResize()));
  onNewSize(() => events?.onResize());
  announceReady();
}

/** Switches between the conversation and the full screen, if the client has it. */
function modeButton(host: Host): Node | undefined {
  const { displayMode, availableDisplayModes = [] } = host.context();
  const isFull = displayMode === 'fullscreen';
  const other = isFull ? 'inline' : 'fullscreen';
  if (!availableDisplayModes.includes(other)) return undefined;
  const label = isFull ? 'Exit full screen' : 'Full screen';
  const made = button('', () => void host.requestMode(other).catch(() => {}), {
    id: 'mode',
    class: 'mode',
    'aria-label': label,
    title: label,
  });
  made.append(icon(isFull ? 'M6 2v4H2M10 2v4h4M14 10h-4v4M2 10h4v4' : 'M2 6V2h4M10 2h4v4M14 10v4h-4M6 14H2v-4'));
  return made;
}
