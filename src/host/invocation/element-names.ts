import type { Loadable } from '../load-component.js';
import type { Tools } from './tools.js';
import { PATIENCE } from './visible.js';

type Loading = Pick<Tools, 'HostError' | 'hearDefinitions' | 'loadModule'>;

export interface Claim {
  /** What must be defined. */
  readonly elements: readonly string[];
  /** What defines it. */
  readonly modules: readonly Loadable[];
  readonly options: { readonly integrity?: string | false };
}

/** The modules that have defined elements, by the names of the elements. */
const owners = new Map<string, string>();

let last: Promise<unknown> = Promise.resolve();

/**
 * Loads the modules that define some elements. One call after the other: two modules that are loaded at the same time
 * could not be told apart by what they define.
 *
 * @returns false when something else has taken a name that they need: the elements must be used in a frame then
 * @throws HostError as `loadComponent`, and `module` for an element that none of the modules defines
 */
export function claimElements(claim: Claim, tools: Loading): Promise<boolean> {
  const claimed = last.then(() => claimNow(claim, tools));
  last = claimed.catch(() => undefined);
  return claimed;
}

async function claimNow(claim: Claim, tools: Loading): Promise<boolean> {
  const { elements, modules, options } = claim;
  const ours = modules.map((module) => nameOf(module, options));
  const isOurs = (name: string) => ours.includes(owners.get(name) ?? '');
  if (elements.length > 0 && elements.every(isOurs)) return true;
  if (elements.some((name) => customElements.get(name) && !isOurs(name))) return false;
  if (!(await loadAll(claim, tools))) return false;
  const missing = elements.find((name) => !customElements.get(name));
  if (missing !== undefined) throw undefinedElement(missing, modules, tools);
  // Some modules find a name taken, and say nothing.
  return elements.every(isOurs);
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
      await tools.loadModule(module, options);
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
