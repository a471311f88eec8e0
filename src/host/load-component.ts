import type { ComponentMetadata } from './component-metadata.js';
import { definedDuring, type ElementClass, isElementClass } from './definitions.js';
import { type Fetch, pageFetch } from './fetching.js';
import { HostError } from './host-error.js';
import { readIntegrity, verify } from './integrity.js';
import { explainImport, importBytes, moduleBytes } from './module-source.js';
import { webUrl } from './page-url.js';
import { tagNameOf } from './tag-name.js';

export interface LoadOptions {
  /** `sha384-<base64>`: the bytes are fetched and checked first, and run only if they are the promised ones. */
  readonly integrity?: string;
  /** For fetching and running the module; 15,000 when absent. */
  readonly timeoutMs?: number;
  /** Fetches the bytes that are checked, and explains failures. The import itself is the browser's. */
  readonly fetch?: Fetch;
}

/** By tag name; those that failed are forgotten, so that they can be tried again. */
const loads = new Map<string, { integrity: string | undefined; tagName: Promise<string> }>();

/**
 * Loads a component's module and defines its element; a relative `uri` is resolved against the page. The same component is loaded once, however often it is
 * asked for. The component is the default export; else the only element class exported; else the only one that
 * the module has defined itself.
 *
 * @returns the tag name to create elements with
 * @throws HostError with a reason that names what is wrong: the module cannot be had, is of the wrong type, is not
 * what `integrity` promises (nothing of it has run then), throws, takes too long, or holds no element class
 */
export function loadComponent(
  component: Pick<ComponentMetadata, 'uri' | 'tag'>,
  options: LoadOptions = {},
): Promise<string> {
  const uri = webUrl(component.uri);
  if (uri === undefined) {
    return Promise.reject(new HostError('request', `${component.uri} is no http or https URL`));
  }
  const tagName = tagNameOf({ uri, tag: component.tag });
  const known = loads.get(tagName);
  if (known && (options.integrity === undefined || options.integrity === known.integrity))
    return known.tagName;
  if (known) {
    const how = known.integrity === undefined ? 'without a check of its bytes' : 'with another integrity';
    return Promise.reject(new HostError('integrity', `${uri} has been loaded already, ${how}`));
  }
  const load = define(uri, tagName, options);
  loads.set(tagName, { integrity: options.integrity, tagName: load });
  load.catch(() => loads.delete(tagName));
  return load;
}

async function define(uri: string, tagName: string, options: LoadOptions): Promise<string> {
  const { timeoutMs = 15_000, fetch = pageFetch, integrity } = options;
  const request = { fetch, timeoutMs };
  const { result, defined } = await inTime(
    definedDuring(() =>
      integrity === undefined ? importFrom(uri, request) : importChecked(uri, integrity, request),
    ),
    timeoutMs,
    `the module ${uri}`,
  );
  const element = elementIn(result, defined, uri);
  try {
    // A class can be defined once only; a module that does so itself leaves the name to a class of its own.
    customElements.define(tagName, defined.includes(element) ? class extends element {} : element);
  } catch (cause) {
    throw new HostError('module', `the element of ${uri} cannot be defined: ${String(cause)}`, { cause });
  }
  return tagName;
}

type Request = { readonly fetch: Fetch; readonly timeoutMs: number };

async function importFrom(uri: string, request: Request): Promise<unknown> {
  try {
    return await import(/* @vite-ignore */ uri);
  } catch (cause) {
    throw await explainImport(uri, cause, request);
  }
}

async function importChecked(uri: string, integrity: string, request: Request): Promise<unknown> {
  const promised = readIntegrity(integrity);
  const bytes = await moduleBytes(uri, request);
  await verify(bytes, promised, uri);
  try {
    return await importBytes(bytes);
  } catch (cause) {
    throw new HostError('module', `the module ${uri} fails when it is run: ${String(cause)}`, { cause });
  }
}

function elementIn(module: unknown, defined: readonly ElementClass[], uri: string): ElementClass {
  const exports = module as Readonly<Record<string, unknown>>;
  if (isElementClass(exports.default)) return exports.default;
  for (const candidates of [Object.values(exports).filter(isElementClass), defined]) {
    const [only, ...others] = new Set(candidates);
    if (only && others.length === 0) return only;
    if (only)
      throw new HostError(
        'module',
        `${uri} has several element classes; the component must be its default export`,
      );
  }
  throw new HostError('module', `${uri} exports no HTMLElement class and defines no element`);
}

function inTime<T>(task: Promise<T>, timeoutMs: number, what: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout>;
  const late = new Promise<never>((_, reject) => {
    const error = new HostError('timeout', `${what} was not there after ${timeoutMs / 1000} s`);
    timer = setTimeout(() => reject(error), timeoutMs);
  });
  return Promise.race([task, late]).finally(() => clearTimeout(timer));
}
