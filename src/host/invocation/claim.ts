import { type Definition, watchingDefinitions } from '../definitions.js';
import { HostError } from '../host-error.js';
import { type Loadable, type LoadOptions, type ModuleLoad, moduleLoad } from '../module-load.js';
import { PATIENCE } from './visible.js';

/** What must be defined, and what defines it. */
export interface Claim {
  readonly elements: readonly string[];
  readonly modules: readonly Loadable[];
  readonly options: Pick<LoadOptions, 'integrity'>;
}

/** The modules that have defined elements, by the names of the elements. */
const owners = new Map<string, ModuleLoad>();

/**
 * Loads the modules that define some elements. They are fetched at the same time, and run one after the other.
 *
 * @returns false when something else has taken a name that they need: the elements must be used in a frame then
 * @throws HostError as `loadComponent`, and `module` for an element that none of the modules defines
 */
export async function claimElements({ elements, modules, options }: Claim): Promise<boolean> {
  const loads = modules.map((module) => moduleLoad(module, options));
  const known = isClaimed(elements, loads);
  if (known !== undefined) return known;
  await Promise.allSettled(loads.map(({ fetched }) => fetched));
  return watchingDefinitions(async (defined) => {
    const already = isClaimed(elements, loads);
    if (already !== undefined) return already;
    if (!(await runAll(loads, elements, defined))) return false;
    const missing = elements.find((name) => !customElements.get(name));
    // Some modules find a name taken, and say nothing.
    if (missing === undefined) return isClaimed(elements, loads) ?? true;
    const uris = modules.map(({ uri }) => uri).join(' and ');
    const seconds = PATIENCE / 1000;
    throw new HostError('module', `${uris} has not defined the element ${missing} within ${seconds} s`);
  });
}

/** Are the elements defined by these modules? Undefined when that can still be. */
function isClaimed(elements: readonly string[], loads: readonly ModuleLoad[]): boolean | undefined {
  const isOurs = (name: string) => loads.some((load) => owners.get(name) === load);
  if (elements.length > 0 && elements.every(isOurs)) return true;
  return elements.some((name) => customElements.get(name) && !isOurs(name)) ? false : undefined;
}

/** @returns false when a module could not have a name that it wanted */
async function runAll(
  loads: readonly ModuleLoad[],
  elements: readonly string[],
  defined: readonly Definition[],
): Promise<boolean> {
  const isRefused = () => defined.some(({ taken }) => taken);
  const own = (load: ModuleLoad, from: number) => {
    for (const { name, taken } of defined.slice(from)) if (!taken) owners.set(name, load);
  };
  try {
    for (const load of loads) {
      const from = defined.length;
      await load.run().finally(() => own(load, from));
    }
    // Some define their elements a while after they have run.
    const from = defined.length;
    const all = Promise.all(elements.map((name) => customElements.whenDefined(name)));
    await Promise.race([all, new Promise((resolve) => setTimeout(resolve, PATIENCE))]);
    for (const load of loads.slice(-1)) own(load, from);
    return !isRefused();
  } catch (error) {
    if (isRefused()) return false;
    throw error;
  }
}
