/** The names of all custom elements in HTML, in its templates, too. */
export function elementNames(html: string): string[] {
  const names = new Set<string>();
  const collect = (node: ParentNode) => {
    for (const element of node.querySelectorAll('*')) {
      if (element.localName.includes('-')) names.add(element.localName);
      if (element instanceof HTMLTemplateElement) collect(element.content);
    }
  };
  // A document without a window: nothing in it is loaded or run.
  collect(new DOMParser().parseFromString(html, 'text/html'));
  return [...names];
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
  fill(content, open);
  element.append(content);
  return element;
}

const HOLE = '{open}';

function fill(content: DocumentFragment, open: string): void {
  const walker = document.createTreeWalker(content, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (node instanceof Text) {
      if (node.data.includes(HOLE)) node.data = node.data.replaceAll(HOLE, () => open);
      continue;
    }
    const element = node as Element;
    for (const { name, value } of [...element.attributes]) {
      if (value.includes(HOLE))
        element.setAttribute(
          name,
          value.replaceAll(HOLE, () => open),
        );
    }
    if (element instanceof HTMLTemplateElement) fill(element.content, open);
  }
}
