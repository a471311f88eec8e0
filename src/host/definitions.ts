/** An element's class, as `customElements.define` takes it. */
export type ElementClass = new () => HTMLElement;

let watchers = 0;
let restore: (() => void) | undefined;
const seen: ElementClass[] = [];

/**
 * Runs a task and tells which element classes were defined meanwhile: a module may define its element without
 * exporting it. Afterwards `customElements.define` is what it was.
 */
export async function definedDuring<T>(
  task: () => Promise<T>,
): Promise<{ result: T; defined: ElementClass[] }> {
  const before = seen.length;
  if (watchers === 0) restore = watch();
  watchers += 1;
  try {
    const result = await task();
    return { result, defined: seen.slice(before) };
  } finally {
    watchers -= 1;
    if (watchers === 0) {
      restore?.();
      seen.length = 0;
    }
  }
}

function watch(): () => void {
  const { define } = customElements;
  const watching: typeof define = (name, element, options) => {
    define.call(customElements, name, element, options);
    seen.push(element as ElementClass);
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
