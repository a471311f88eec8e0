/** An element's class, as `customElements.define` takes it. */
export type ElementClass = new () => HTMLElement;

/** A definition of an element, or the attempt: of names that are `taken`, the browser refuses it. */
export interface Definition {
  readonly name: string;
  readonly element: ElementClass;
  readonly taken: boolean;
}

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs a task with a list that grows by each element that is defined meanwhile: a module may define its element without exporting
 * it. One such task runs after the other: of two modules that run at the same time, nobody can tell which has defined what.
 */
export function watchingDefinitions<T>(task: (defined: readonly Definition[]) => Promise<T>): Promise<T> {
  const done = last.then(() => watched(task));
  last = done.catch(() => undefined);
  return done;
}

async function watched<T>(task: (defined: readonly Definition[]) => Promise<T>): Promise<T> {
  const defined: Definition[] = [];
  const { define } = customElements;
  const watching: typeof define = (name, element, options) => {
    const taken = customElements.get(name) !== undefined;
    defined.push({ name, element: element as ElementClass, taken });
    define.call(customElements, name, element, options);
  };
  customElements.define = watching;
  try {
    return await task(defined);
  } finally {
    // Whoever has put another one in its place meanwhile keeps it.
    if (customElements.define === watching) customElements.define = define;
  }
}
