import type { ElementInvocation } from '../../component/capability.js';
import type { Quad, Term } from '../quad.js';

/** What is needed to make an element, as data that can be sent into a frame. */
export interface ElementPlan {
  readonly element: string;
  readonly fixed: Readonly<Record<string, string>>;
  readonly values: readonly { readonly variable: string; readonly value: string }[];
  readonly write: ElementInvocation['write'];
}

/** RDF as an element gives it: a text, or quads. */
type Given = string | readonly Quad[];

/** What somebody has made of the data with an element. */
export interface Edit {
  /** What the element gave before anybody had touched it; the same for all edits. */
  readonly before: Given;
  readonly after: Given;
}

/** All of them together, where there are several; the reader is told of things that are left out. */
export function inOne(elements: readonly HTMLElement[], total: number): HTMLElement {
  const [only] = elements;
  if (only && total === 1) return only;
  const all = document.createElement('div');
  all.append(...elements);
  if (total > elements.length) {
    const notice = document.createElement('p');
    notice.textContent = `${elements.length} of ${total} things in this document are shown.`;
    all.append(notice);
  }
  return all;
}

/** @throws TypeError for a value that a property of the element does not take */
export function createElement({ element: name, fixed, values }: ElementPlan): HTMLElement {
  const element = document.createElement(name);
  for (const [attribute, value] of Object.entries(fixed)) setAttribute(element, attribute, value);
  for (const { variable, value } of values) {
    // What every element has (`innerHTML`, `onclick`) is set as an attribute only, where it does nothing.
    if (variable in element && !(variable in HTMLElement.prototype)) Reflect.set(element, variable, value);
    else setAttribute(element, variable, value);
  }
  return element;
}

/** An attribute with a script runs in the name of the page, and what the data holds must never get there. */
function setAttribute(element: Element, name: string, value: string): void {
  if (/^(on|srcdoc$)/i.test(name)) throw new TypeError(`the attribute ${name} would hold a script`);
  element.setAttribute(name, value);
}

type Write = NonNullable<ElementInvocation['write']>;

/** Before any of these, nobody has changed anything. */
const TOUCHES = ['pointerdown', 'keydown', 'beforeinput', 'click', 'paste', 'drop'];

/**
 * Tells of each edit. What an element gives before anybody has touched it is what it knows of the data: all else in the
 * data is none of its business.
 * @param fail hears what went wrong with the element
 */
export function watchEdits(
  element: HTMLElement,
  write: Write,
  tell: (edit: Edit) => void,
  fail: (error: unknown) => void,
): void {
  let before: Promise<Given> | undefined;
  let touched = false;
  const touch = () => {
    touched = true;
    before ??= given(element, write);
    // Said when it is needed.
    before.catch(() => undefined);
  };
  for (const event of TOUCHES) element.addEventListener(event, touch, { capture: true });
  let last: Promise<unknown> = Promise.resolve();
  element.addEventListener(write.event, (event) => {
    const after = given(element, write, event);
    if (!touched || !before) before = after;
    const isEdit = touched;
    last = Promise.all([last, before, after]).then(([, before, after]) => {
      if (isEdit) tell({ before, after });
    }, fail);
  });
}

async function given(element: HTMLElement, { method, property }: Write, event?: Event): Promise<Given> {
  const value: unknown = await givenBy(element, method, property, event);
  if (typeof value === 'string') return value;
  if (typeof value === 'object' && value !== null && Symbol.iterator in value) {
    return [...(value as Iterable<Quad>)].map(plainQuad);
  }
  throw new TypeError(`${method ?? property ?? 'its event'} gives ${typeof value} and no RDF`);
}

function givenBy(element: HTMLElement, method?: string, property?: string, event?: Event): unknown {
  if (method !== undefined) {
    const call: unknown = Reflect.get(element, method);
    if (typeof call !== 'function') throw new TypeError(`it has no method ${method}`);
    return Reflect.apply(call, element, []);
  }
  if (property !== undefined) return Reflect.get(element, property);
  return event instanceof CustomEvent ? event.detail : undefined;
}

/** Without methods, so that it can be sent to another window. */
function plainQuad({ subject, predicate, object, graph }: Quad): Quad {
  return {
    subject: plainTerm(subject),
    predicate: plainTerm(predicate),
    object: plainTerm(object),
    graph: graph ? plainTerm(graph) : { termType: 'DefaultGraph', value: '' },
  };
}

function plainTerm({ termType, value, language, datatype }: Term): Term {
  return { termType, value, language, datatype: datatype && { value: datatype.value } };
}
