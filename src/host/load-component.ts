import { type Definition, type ElementClass, watchingDefinitions } from './definitions.js';
import { HostError } from './host-error.js';
import { addressOf, type Loadable, type LoadOptions, type ModuleLoad, moduleLoad } from './module-load.js';
import { tagNameOf } from './tag-name.js';

/** Elements by their names; those that failed are forgotten. */
const elements = new Map<string, Promise<string>>();

/**
 * Loads a component's module and defines its element; a relative `uri` is resolved against the page. The same component is loaded
 * once, however often it is asked for. The component is the default export; else the only element class exported; else the only
 * one that the module has defined itself.
 *
 * @returns the tag name to create elements with
 * @throws HostError with a reason that names what is wrong: nobody answers for the component, the module cannot be had, is of
 * the wrong type, is not what was promised (nothing of it has run then; the message says both hashes), throws, takes too long, or
 * holds no element class
 */
export async function loadComponent(component: Loadable, options: LoadOptions = {}): Promise<string> {
  const uri = addressOf(component);
  if (!hasModule(component))
    throw new HostError('request', `${uri} is no module: showComponent shows it as its capabilities say`);
  const name = tagNameOf({ uri, tag: component.tag });
  const load = moduleLoad(component, options);
  const defined = elements.get(name) ?? define(name, uri, load);
  elements.set(name, defined);
  defined.catch(() => elements.delete(name));
  return defined;
}

/** Where each capability has invocations, and none is of an element, nothing may be imported from the uri: it is an application. */
function hasModule({ capability }: Loadable): boolean {
  return (
    capability?.every((one) => one.invocation?.every(({ type }) => type !== 'ElementInvocation')) !== true
  );
}

async function define(name: string, uri: string, load: ModuleLoad): Promise<string> {
  await load.fetched;
  return watchingDefinitions(async (defined) => {
    const element = elementIn((await load.run()) as object, defined, uri);
    try {
      // A class can be defined once only, and the module may have done that itself, or do so later.
      customElements.define(name, class extends element {});
    } catch (cause) {
      throw new HostError('module', `the element of ${uri} cannot be defined: ${String(cause)}`, { cause });
    }
    return name;
  });
}

function elementIn(exports: object, defined: readonly Definition[], uri: string): ElementClass {
  const byDefault = Reflect.get(exports, 'default');
  if (isElementClass(byDefault)) return byDefault;
  const exported = Object.values(exports).filter(isElementClass);
  const own = defined.filter(({ taken }) => !taken).map(({ element }) => element);
  const [only, ...others] = new Set(exported.length > 0 ? exported : own);
  if (!only) throw new HostError('module', `${uri} exports no HTMLElement class and defines no element`);
  if (others.length === 0) return only;
  throw new HostError(
    'module',
    `${uri} has several element classes; the component must be its default export`,
  );
}

function isElementClass(value: unknown): value is ElementClass {
  return typeof value === 'function' && value.prototype instanceof HTMLElement;
}
