import { type Integrity, integrityText } from '../component/integrity.js';
import type { ModuleFile } from '../component/pin.js';
import type { ComponentMetadata } from './component-metadata.js';
import { refuseStrangers } from './gate.js';
import { HostError } from './host-error.js';
import { readIntegrity, verify } from './integrity.js';
import { explainImport, moduleBytes, preloaded } from './module-source.js';
import { webUrl } from './page-url.js';
import { importPinned } from './pinned-import.js';

export interface LoadOptions {
  /**
   * `sha384-<base64>`: the bytes are fetched and checked first, and run only if they are the promised ones. When absent,
   * they must be what the author promises (`integrity` of the component) and what the node says (`pin`), as far as
   * there is either; and the module may import nothing that the node could not pin. `false`: whatever is there is run.
   */
  readonly integrity?: string | false;
  /** For fetching and running the module; 15,000 when absent. */
  readonly timeoutMs?: number;
}

/** What is needed of a component to load it. */
export type Loadable = Pick<ComponentMetadata, 'uri' | 'tag' | 'integrity' | 'pin' | 'capability' | 'source'>;

/** A module that is loaded in two steps, because several can be fetched at the same time, and only one can be run. */
export interface ModuleLoad {
  /** Its bytes are there, and checked where they are promised. */
  readonly fetched: Promise<unknown>;
  /** Runs it, once, and gives its exports. Has to be called while definitions are watched. */
  readonly run: () => Promise<unknown>;
}

/** By the uris of modules; those that failed are forgotten, so that they can be tried again. */
const loads = new Map<string, { integrity: string | undefined; load: ModuleLoad }>();

/**
 * The one way by which a module gets into a page. The same module is loaded once, however often it is asked for, and modules with
 * the same checked bytes are the same, wherever they are.
 * @throws HostError `trust` for what may not run here; `integrity` when it is loaded already, and nobody has checked that
 */
export function moduleLoad(component: Loadable, options: LoadOptions = {}): ModuleLoad {
  refuseStrangers(component, options.integrity);
  refuseUnpinned(component, options);
  const uri = addressOf(component);
  const promised = promisedOf(component, options);
  const integrity = [...new Set(promised.map(integrityText))].join(' and ') || undefined;
  const earlier = loads.get(uri);
  if (earlier) {
    if (integrity === undefined || integrity === earlier.integrity) return earlier.load;
    const how = earlier.integrity
      ? `with the integrity ${earlier.integrity}`
      : 'without a check of its bytes';
    throw new HostError('integrity', `${uri} has been loaded already, ${how}; now ${integrity} is wanted`);
  }
  const same = [...loads.values()].find((one) => integrity !== undefined && one.integrity === integrity);
  const files = options.integrity === undefined ? (component.pin?.files ?? []) : [];
  const load = same?.load ?? newLoad(uri, promised, files, options);
  loads.set(uri, { integrity, load });
  return load;
}

/** @throws HostError `request` */
export function addressOf({ uri }: Pick<Loadable, 'uri'>): string {
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

/**
 * What a module imports is not covered by its own hash.
 * @throws HostError `integrity` when it imports what nobody has checked, and the page has not said what it allows
 */
function refuseUnpinned({ uri, pin }: Loadable, { integrity }: LoadOptions): void {
  const { unpinned = [] } = pin ?? {};
  if (integrity !== undefined || unpinned.length === 0) return;
  throw new HostError(
    'integrity',
    `${uri} imports what could not be pinned: ${unpinned.join(', ')}. ` +
      'The page may allow it with the option integrity: false, or with the hash of the module alone',
  );
}

function newLoad(
  uri: string,
  promised: readonly Integrity[],
  files: readonly ModuleFile[],
  { timeoutMs = 15_000 }: LoadOptions,
): ModuleLoad {
  const limited = <R>(task: Promise<R>) => inTime(task, timeoutMs, `the module ${uri}`);
  const fetched = limited(
    promised.length > 0 ? fetchChecked(uri, promised, files, timeoutMs) : fetchModule(uri, timeoutMs),
  );
  const forget = () => {
    for (const [key, one] of loads) if (one.load === load) loads.delete(key);
  };
  let ran: Promise<unknown> | undefined;
  const run = () => {
    ran ??= fetched.then((evaluate) => limited(evaluate()));
    ran.catch(forget);
    return ran;
  };
  const load = { fetched, run };
  fetched.catch(forget);
  return load;
}

type Evaluate = () => Promise<unknown>;

/** Nobody has promised its bytes: the browser fetches it by itself. */
async function fetchModule(uri: string, timeoutMs: number): Promise<Evaluate> {
  await preloaded(uri);
  return async () => {
    try {
      return await import(/* @vite-ignore */ uri);
    } catch (cause) {
      throw await explainImport(uri, cause, timeoutMs);
    }
  };
}

async function fetchChecked(
  uri: string,
  promised: readonly Integrity[],
  files: readonly ModuleFile[],
  timeoutMs: number,
): Promise<Evaluate> {
  const bytes = await moduleBytes(uri, timeoutMs);
  for (const one of promised) await verify(bytes, one, uri);
  return () => importPinned(uri, bytes, promised.map(integrityText)[0] ?? '', files);
}

function inTime<T>(task: Promise<T>, timeoutMs: number, what: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout>;
  const late = new Promise<never>((_, reject) => {
    const error = new HostError('timeout', `${what} was not there after ${timeoutMs / 1000} s`);
    timer = setTimeout(() => reject(error), timeoutMs);
  });
  return Promise.race([task, late]).finally(() => clearTimeout(timer));
}
