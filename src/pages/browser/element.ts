import { withoutStop } from '../../lib/sentence.js';

type Child = Node | string | undefined;

/** Makes an element. Attributes that are undefined are left out; text stays text. */
export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Readonly<Record<string, string | undefined>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes))
    if (value !== undefined) made.setAttribute(attribute, value);
  made.append(...children.filter((child) => child !== undefined));
  return made;
}

export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The element of the page with this id. @throws Error when it has none: the script then is on the wrong page */
export function byId<E extends HTMLElement>(id: string): E {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found as E;
}

/** Says something in an element that screen readers read out; without a text, it is hidden. */
export function say(id: string, text: string, isAlert = false): void {
  const output = byId(id);
  output.hidden = text === '';
  output.textContent = text;
  output.classList.toggle('alert', isAlert);
}

/** Does something for a click or a change; what goes wrong is said there. */
export async function attempt(output: string, action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (error) {
    say(output, `${withoutStop(wordsOf(error))}.`, true);
  }
}
