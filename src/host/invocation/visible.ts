/** Elements that are seen though they hold no text. */
const PICTURES = 'img,svg,canvas,video,audio,iframe,object,embed,input,select,textarea,progress,meter,hr';

/**
 * Waits until an element shows something: text, a picture or a control that takes room on the page, in open shadow roots, too.
 * What is in a closed one cannot be seen from outside, so that its room is enough.
 * @returns false when there is nothing after `patience` ms; true, too, where the place itself is not shown
 */
export async function showsSomething(element: Element, patience: number): Promise<boolean> {
  const end = Date.now() + patience;
  for (;;) {
    if (shows(element)) return true;
    if (Date.now() >= end) return !canShow(element);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function canShow({ parentElement }: Element): boolean {
  return parentElement?.isConnected === true && parentElement.getClientRects().length > 0;
}

function shows(node: Node): boolean {
  if (node instanceof Text) return /\S/.test(node.data) && takesRoom(node);
  if (!(node instanceof Element)) return false;
  if (/^(script|style|template)$/i.test(node.localName)) return false;
  if (node.matches(PICTURES)) return hasRoom(node.getClientRects());
  const within = [...(node.shadowRoot?.childNodes ?? []), ...node.childNodes];
  if (within.some(shows)) return true;
  return within.length === 0 && node.localName.includes('-') && hasRoom(node.getClientRects());
}

function takesRoom(text: Text): boolean {
  const range = new Range();
  range.selectNode(text);
  return hasRoom(range.getClientRects());
}

function hasRoom(rects: DOMRectList): boolean {
  return [...rects].some(({ width, height }) => width > 0 && height > 0);
}

/** How long a module may take to define its element after it has run, and an element to show something; in ms. */
export const PATIENCE = 5_000;
