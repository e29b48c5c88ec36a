/** The content between the marks of a document, by the name in the marks. */
export type Parts = Readonly<Record<string, string>>;

function marked(name: string, content: string): string {
  return `<!-- generated: ${name} -->\n\n${content}\n\n<!-- end: ${name} -->`;
}

function markedPattern(name: string): RegExp {
  return new RegExp(`<!-- generated: ${name} -->[\\s\\S]*?<!-- end: ${name} -->`);
}

/** Returns the document with every part replaced. Throws if a part has no marks. */
export function withParts(document: string, parts: Parts): string {
  return Object.entries(parts).reduce((text, [name, content]) => {
    if (!markedPattern(name).test(text)) throw new Error(`there are no marks for the part "${name}"`);
    // A function, since "$" in the content would mean something in a replacement text.
    return text.replace(markedPattern(name), () => marked(name, content));
  }, document);
}

/** Names of the parts that the document shows differently, or not at all. */
export function staleParts(document: string, parts: Parts): string[] {
  const stale = Object.entries(parts).filter(([name, content]) => !document.includes(marked(name, content)));
  return stale.map(([name]) => name);
}
