import { type Integrity, integrityText } from '../component/integrity.js';
import type { ComponentMetadata, ModuleFile } from './component-metadata.js';
import { definedDuring, type ElementClass, isElementClass } from './definitions.js';
import { type Fetch, pageFetch } from './fetching.js';
import { HostError } from './host-error.js';
import { readIntegrity, verify } from './integrity.js';
import { explainImport, moduleBytes } from './module-source.js';
import { webUrl } from './page-url.js';
import { importPinned } from './pinned-import.js';
import { tagNameOf } from './tag-name.js';

export interface LoadOptions {
  /**
   * `sha384-<base64>`: the bytes are fetched and checked first, and run only if they are the promised ones. When absent,
   * they must be what the author promises (`integrity` of the component) and what the node says (`pin`), as far as
   * there is either; and the module may import nothing that the node could not pin. `false`: whatever is there is run.
   */
  readonly integrity?: string | false;
  /** For fetching and running the module; 15,000 when absent. */
  readonly timeoutMs?: number;
  /** Fetches the bytes that are checked, and explains failures. The import itself is the browser's. */
  readonly fetch?: Fetch;
}

/** What is needed of a component to load it. */
export type Loadable = Pick<ComponentMetadata, 'uri' | 'tag' | 'integrity' | 'pin' | 'capability'>;

/** By the name of the element, or the uri of a module that names its elements itself; those that failed are forgotten, so that they can be tried again. */
const loads = new Map<string, { integrity: string | undefined; loaded: Promise<unknown> }>();

/**
 * Loads a component's module and defines its element; a relative `uri` is resolved against the page. The same component is loaded once, however often it is
 * asked for. The component is the default export; else the only element class exported; else the only one that
 * the module has defined itself.
 *
 * @returns the tag name to create elements with
 * @throws HostError with a reason that names what is wrong: the module cannot be had, is of the wrong type, is not
 * what was promised (nothing of it has run then; the message says both hashes), throws, takes too long, or holds no element class
 */
export async function loadComponent(component: Loadable, options: LoadOptions = {}): Promise<string> {
  const uri = addressOf(component);
  if (!hasModule(component))
    throw new HostError('request', `${uri} is no module: showComponent shows it as its capabilities say`);
  const name = tagNameOf({ uri, tag: component.tag });
  return loadOnce(name, component, options, async (load) => define(name, uri, await load()));
}

/**
 * Imports a module once that gives its elements names of its own.
 * @returns what it exports
 * @throws HostError as `loadComponent`
 */
export async function loadModule(module: Loadable, options: LoadOptions = {}): Promise<unknown> {
  return loadOnce(addressOf(module), module, options, async (load) => (await load()).result);
}

/** Where each capability has invocations, and none is of an element, nothing may be imported from the uri: it is an application. */
function hasModule({ capability }: Loadable): boolean {
  return (
    capability?.every((one) => one.invocation?.every(({ type }) => type !== 'ElementInvocation')) !== true
  );
}

/** @throws HostError `request` */
function addressOf({ uri }: Loadable): string {
  const url = webUrl(uri);
  if (url === undefined) throw new HostError('request', `${uri} is no http or https URL`);
  return url;
}

/**
 * Which bytes are to run: all of it must hold, and nothing of it for any bytes. A promise that was changed under the same
 * version does not free from the first pin.
 * @throws HostError `request` for what is no integrity
 */
function promisedOf({ integrity, pin }: Loadable, options: LoadOptions): readonly Integrity[] {
  if (options.integrity === false) return [];
  const promised = options.integrity === undefined ? [integrity, pin?.integrity] : [options.integrity];
  return promised.flatMap((text) => (text === undefined ? [] : [readIntegrity(text)]));
}

type Loaded = Awaited<ReturnType<typeof definedDuring<unknown>>>;

/**
 * What a module imports is not covered by its own hash.
 * @throws HostError `integrity` when it imports what nobody has checked, and the page has not said what it allows
 */
function refuseUnpinned({ uri, pin }: Loadable, { integrity }: LoadOptions): void {
  const { unpinned = [] } = pin ?? {};
  if (integrity !== undefined || unpinned.length === 0) return;
  throw new HostError(
    'integrity',
    `${uri} imports what could not be pinned: ${unpinned.join(', ')}. The page may allow it with the option integrity: false, or with the hash of the module alone`,
  );
}

/** @throws HostError `integrity` when it is loaded already, and nobody has checked that */
function loadOnce<T>(
  key: string,
  component: Loadable,
  options: LoadOptions,
  use: (load: () => Promise<Loaded>) => Promise<T>,
): Promise<T> {
  refuseUnpinned(component, options);
  const promised = promisedOf(component, options);
  const integrity =
    promised.length === 0 ? undefined : [...new Set(promised.map(integrityText))].join(' and ');
  const earlier = loads.get(key);
  // What stands under a key was put there by the same `use`.
  if (earlier && (integrity === undefined || integrity === earlier.integrity))
    return earlier.loaded as Promise<T>;
  const uri = addressOf(component);
  if (earlier) {
    const how =
      earlier.integrity === undefined
        ? 'without a check of its bytes'
        : `with the integrity ${earlier.integrity}`;
    throw new HostError('integrity', `${uri} has been loaded already, ${how}; now ${integrity} is wanted`);
  }
  const { timeoutMs = 15_000, fetch = pageFetch } = options;
  const request = { fetch, timeoutMs };
  const files = options.integrity === undefined ? (component.pin?.files ?? []) : [];
  const run = () =>
    promised.length > 0 ? importChecked(uri, promised, files, request) : importFrom(uri, request);
  const loaded = use(() => inTime(definedDuring(run), timeoutMs, `the module ${uri}`));
  loads.set(key, { integrity, loaded });
  loaded.catch(() => loads.delete(key));
  return loaded;
}

function define(tagName: string, uri: string, { result, defined }: Loaded): string {
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

async function importChecked(
  uri: string,
  promised: readonly Integrity[],
  files: readonly ModuleFile[],
  request: Request,
): Promise<unknown> {
  const bytes = await moduleBytes(uri, request);
  for (const one of promised) await verify(bytes, one, uri);
  return importPinned(uri, bytes, promised.map(integrityText)[0] ?? '', files);
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
