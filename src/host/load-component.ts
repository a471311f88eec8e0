import { type Integrity, integrityText } from '../component/integrity.js';
import type { ComponentMetadata, ModuleFile } from './component-metadata.js';
import { definedDuring, type ElementClass, isElementClass, oneAtATime } from './definitions.js';
import { type Fetch, pageFetch } from './fetching.js';
import { refuseStrangers } from './gate.js';
import { HostError } from './host-error.js';
import { readIntegrity, verify } from './integrity.js';
import { explainImport, moduleBytes, preloaded } from './module-source.js';
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
export type Loadable = Pick<ComponentMetadata, 'uri' | 'tag' | 'integrity' | 'pin' | 'capability' | 'source'>;

/** A module that is loaded in two steps, because several can be fetched at the same time, and only one can be run. */
interface Load<T> {
  /** Its bytes are there, and checked where they are promised. */
  readonly fetched: Promise<unknown>;
  /** Runs it, once. */
  readonly run: () => Promise<T>;
}

/** By the name of the element, or the uri of a module that names its elements itself; those that failed are forgotten, so that they can be tried again. */
const loads = new Map<string, { integrity: string | undefined; load: Load<unknown> }>();

/**
 * Loads a component's module and defines its element; a relative `uri` is resolved against the page. The same component is loaded once, however often it is
 * asked for. The component is the default export; else the only element class exported; else the only one that
 * the module has defined itself.
 *
 * @returns the tag name to create elements with
 * @throws HostError with a reason that names what is wrong: nobody answers for the component, the module cannot be had, is of the wrong type, is not
 * what was promised (nothing of it has run then; the message says both hashes), throws, takes too long, or holds no element class
 */
export async function loadComponent(component: Loadable, options: LoadOptions = {}): Promise<string> {
  const uri = addressOf(component);
  if (!hasModule(component))
    throw new HostError('request', `${uri} is no module: showComponent shows it as its capabilities say`);
  const name = tagNameOf({ uri, tag: component.tag });
  const load = loadOnce(name, component, options, async (evaluate) =>
    define(name, uri, await oneAtATime(() => definedDuring(evaluate))),
  );
  return load.run();
}

/**
 * A module that gives its elements names of its own, to be run once, as one of the tasks of `oneAtATime`.
 * @throws HostError as `loadComponent`
 */
export function moduleLoad(module: Loadable, options: LoadOptions = {}): Load<unknown> {
  return loadOnce(addressOf(module), module, options, (evaluate) => evaluate());
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
type Evaluate = () => Promise<unknown>;

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

/** @throws HostError `trust` for what may not run here; `integrity` when it is loaded already, and nobody has checked that */
function loadOnce<T>(
  key: string,
  component: Loadable,
  options: LoadOptions,
  use: (evaluate: Evaluate) => Promise<T>,
): Load<T> {
  refuseStrangers(component, options.integrity);
  refuseUnpinned(component, options);
  const promised = promisedOf(component, options);
  const integrity =
    promised.length === 0 ? undefined : [...new Set(promised.map(integrityText))].join(' and ');
  const earlier = loads.get(key);
  // What stands under a key was put there by the same `use`.
  if (earlier && (integrity === undefined || integrity === earlier.integrity)) return earlier.load as Load<T>;
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
  const limited = <R>(task: Promise<R>) => inTime(task, timeoutMs, `the module ${uri}`);
  const fetched = limited(
    promised.length > 0 ? fetchChecked(uri, promised, files, request) : fetchModule(uri, request),
  );
  let ran: Promise<T> | undefined;
  const run = () => {
    ran ??= fetched.then((evaluate) => use(() => limited(evaluate())));
    ran.catch(() => loads.delete(key));
    return ran;
  };
  fetched.catch(() => loads.delete(key));
  loads.set(key, { integrity, load: { fetched, run } });
  return { fetched, run };
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

/** Nobody has promised its bytes: the browser fetches it by itself. */
async function fetchModule(uri: string, request: Request): Promise<Evaluate> {
  await preloaded(uri);
  return async () => {
    try {
      return await import(/* @vite-ignore */ uri);
    } catch (cause) {
      throw await explainImport(uri, cause, request);
    }
  };
}

async function fetchChecked(
  uri: string,
  promised: readonly Integrity[],
  files: readonly ModuleFile[],
  request: Request,
): Promise<Evaluate> {
  const bytes = await moduleBytes(uri, request);
  for (const one of promised) await verify(bytes, one, uri);
  return () => importPinned(uri, bytes, promised.map(integrityText)[0] ?? '', files);
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
