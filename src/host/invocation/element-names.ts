import type { Loadable } from '../load-component.js';
import type { Tools } from './tools.js';
import { PATIENCE } from './visible.js';

type Loading = Pick<Tools, 'HostError' | 'hearDefinitions' | 'moduleLoad' | 'oneAtATime'>;

export interface Claim {
  /** What must be defined. */
  readonly elements: readonly string[];
  /** What defines it. */
  readonly modules: readonly Loadable[];
  readonly options: { readonly integrity?: string | false };
}

/** The modules that have defined elements, by the names of the elements. */
const owners = new Map<string, string>();

/** Fetches under way, by what `nameOf` says: the same module at several URLs is fetched once. */
const fetches = new Map<string, Promise<unknown>>();

/**
 * Loads the modules that define some elements. They are fetched at the same time, and run one after the other.
 *
 * @returns false when something else has taken a name that they need: the elements must be used in a frame then
 * @throws HostError as `loadComponent`, and `module` for an element that none of the modules defines
 */
export async function claimElements(claim: Claim, tools: Loading): Promise<boolean> {
  const known = isClaimed(claim);
  if (known !== undefined) return known;
  await Promise.allSettled(claim.modules.map((module) => fetchOnce(module, claim.options, tools)));
  return tools.oneAtATime(async () => isClaimed(claim) ?? (await claimNow(claim, tools)));
}

function fetchOnce(module: Loadable, options: Claim['options'], tools: Loading): Promise<unknown> {
  const name = nameOf(module, options);
  const fetched = fetches.get(name) ?? tools.moduleLoad(module, options).fetched;
  fetches.set(name, fetched);
  const forget = () => fetches.delete(name);
  fetched.then(forget, forget);
  return fetched;
}

/** Are the elements defined by these modules? Undefined when that can still be. */
function isClaimed({ elements, modules, options }: Claim): boolean | undefined {
  const ours = modules.map((module) => nameOf(module, options));
  const isOurs = (name: string) => ours.includes(owners.get(name) ?? '');
  if (elements.length > 0 && elements.every(isOurs)) return true;
  return elements.some((name) => customElements.get(name) && !isOurs(name)) ? false : undefined;
}

async function claimNow(claim: Claim, tools: Loading): Promise<boolean> {
  const { elements, modules } = claim;
  if (!(await loadAll(claim, tools))) return false;
  const missing = elements.find((name) => !customElements.get(name));
  if (missing !== undefined) throw undefinedElement(missing, modules, tools);
  // Some modules find a name taken, and say nothing.
  return isClaimed(claim) ?? true;
}

/** Modules with the same checked bytes are the same, wherever they are. */
function nameOf({ uri, integrity, pin }: Loadable, options: Claim['options']): string {
  if (options.integrity !== undefined) return options.integrity || uri;
  const promised = [integrity, pin?.integrity].filter((text) => text !== undefined);
  return [...new Set(promised)].join(' ') || uri;
}

/** @returns false when a module could not have a name that it wanted */
async function loadAll({ elements, modules, options }: Claim, tools: Loading): Promise<boolean> {
  let running = '';
  let refused = false;
  const stop = tools.hearDefinitions(({ name, taken }) => {
    if (taken) refused = true;
    else owners.set(name, running);
  });
  try {
    for (const module of modules) {
      running = nameOf(module, options);
      await tools.moduleLoad(module, options).run();
    }
    // Some define their elements a while after they have run.
    const defined = Promise.all(elements.map((name) => customElements.whenDefined(name)));
    await Promise.race([defined, new Promise((resolve) => setTimeout(resolve, PATIENCE))]);
    return !refused;
  } catch (error) {
    if (refused) return false;
    throw error;
  } finally {
    stop();
  }
}

function undefinedElement(name: string, modules: readonly Loadable[], { HostError }: Loading): Error {
  const uris = modules.map(({ uri }) => uri).join(' and ');
  return new HostError('module', `${uris} has not defined the element ${name} within ${PATIENCE / 1000} s`);
}
