/** The names of all custom elements in HTML, in its templates, too. */
export function elementNames(html: string): string[] {
  // A document without a window: nothing in it is loaded or run.
  const elements = elementsIn(new DOMParser().parseFromString(html, 'text/html'));
  return [...new Set(elements.map(({ localName }) => localName).filter((name) => name.includes('-')))];
}

/**
 * An element with a fragment of HTML, after all that could run a script is taken out. Its custom elements must be
 * defined by then, and be those that the fragment may use. Written into the attributes and texts of what is left, the URL
 * cannot become anything else.
 * @param open stands for `{open}`
 */
export async function fragmentElement(html: string, open: string): Promise<HTMLElement> {
  const { sanitised } = await import('./sanitised.js');
  const element = document.createElement('div');
  const content = sanitised(html, elementNames(html));
  const filled = (text: string) => text.replaceAll('{open}', () => open);
  const elements = elementsIn(content);
  for (const one of elements)
    for (const { name, value } of [...one.attributes])
      if (value.includes('{open}')) one.setAttribute(name, filled(value));
  for (const one of [content, ...elements])
    for (const node of one instanceof HTMLTemplateElement ? one.content.childNodes : one.childNodes)
      if (node instanceof Text) node.data = filled(node.data);
  element.append(content);
  return element;
}

/** All elements below a node, those in templates, too. */
function elementsIn(node: ParentNode): Element[] {
  return [...node.querySelectorAll('*')].flatMap((element) =>
    element instanceof HTMLTemplateElement ? [element, ...elementsIn(element.content)] : [element],
  );
}
