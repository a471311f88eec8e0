/** An element's class, as `customElements.define` takes it. */
export type ElementClass = new () => HTMLElement;

/** A definition of an element, or the attempt: of names that are `taken`, the browser refuses it. */
export interface Definition {
  readonly name: string;
  readonly element: ElementClass;
  readonly taken: boolean;
}

type Hear = (definition: Definition) => void;

const hearers = new Set<Hear>();
let restore: (() => void) | undefined;

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs one task after the other. What hears definitions while modules run has to be such a task: of two modules that run at
 * the same time, nobody can tell which has defined what.
 */
export function oneAtATime<T>(task: () => Promise<T>): Promise<T> {
  const done = last.then(task);
  last = done.catch(() => undefined);
  return done;
}

/**
 * Runs a task and tells which element classes were defined meanwhile: a module may define its element without
 * exporting it.
 */
export async function definedDuring<T>(
  task: () => Promise<T>,
): Promise<{ result: T; defined: ElementClass[] }> {
  const defined: ElementClass[] = [];
  const stop = hearDefinitions(({ element, taken }) => {
    if (!taken) defined.push(element);
  });
  try {
    return { result: await task(), defined };
  } finally {
    stop();
  }
}

/**
 * Tells of every element that is defined from now on. When nobody hears any more, `customElements.define` is what it was.
 * @returns stops it
 */
export function hearDefinitions(hear: Hear): () => void {
  if (hearers.size === 0) restore = watch();
  hearers.add(hear);
  return () => {
    hearers.delete(hear);
    if (hearers.size === 0) restore?.();
  };
}

function watch(): () => void {
  const { define } = customElements;
  const watching: typeof define = (name, element, options) => {
    const definition = { name, element: element as ElementClass, taken: !!customElements.get(name) };
    for (const hear of hearers) hear(definition);
    define.call(customElements, name, element, options);
  };
  customElements.define = watching;
  return () => {
    // Whoever has put another one in its place meanwhile keeps it.
    if (customElements.define === watching) customElements.define = define;
  };
}

export function isElementClass(value: unknown): value is ElementClass {
  return typeof value === 'function' && value.prototype instanceof HTMLElement;
}
