import type { Match } from './candidate.js';
import type { ComponentMetadata } from './component-metadata.js';
import { hearDefinitions, oneAtATime } from './definitions.js';
import type { Fetch } from './fetching.js';
import { mayRunInPage } from './gate.js';
import { topicsOf } from './graph-shapes.js';
import { HostError, needed } from './host-error.js';
import type { Made } from './invocation/invoke.js';
import type { Opening } from './invocation/open-with.js';
import type { Tools } from './invocation/tools.js';
import { type Purpose, type Way, wayOf } from './invocation/way.js';
import { type Loadable, loadComponent, moduleLoad } from './load-component.js';
import { webUrl } from './page-url.js';
import { parseRdf, toTriples } from './rdf.js';
import { type DataHandler, type ServeOptions, serveData, warn } from './serve-data.js';
import { publicData, readPublic, solidData } from './solid-data.js';

export interface ShowOptions {
  /** Where to show it: what is in there is replaced when the component is there. */
  readonly into: Element;
  /** The fetch of the session that may read and write the data; the page's own when absent. */
  readonly fetch?: Fetch;
  /** Answers what the component asks for; `solidData({ fetch })` when absent. */
  readonly handler?: DataHandler;
  /** Hears why a request of the component could not be served. A warning on the console when absent. */
  readonly report?: ServeOptions['report'];
  /** `sha384-<base64>` of the module, or `false`, as for `loadComponent`. */
  readonly integrity?: string | false;
  /** What is to be done with the resource; when absent, `odrl:display`, or what else the component can do. */
  readonly action?: string;
}

export interface Shown {
  readonly component: Pick<ComponentMetadata, 'uri' | 'tag'>;
  readonly element: HTMLElement;
  /** Why it was chosen, and what it will probably not show; only of `showResource`. */
  readonly match?: Match;
  /** Links that open the resource with applications; what `showComponent` shows of one that can do nothing else. */
  readonly openWith: readonly Opening[];
  /** Takes the element away, and answers its requests no more. */
  stop(): void;
}

/** What was shown last in a place, or is about to be. */
const latest = new WeakMap<Element, { shown?: Shown }>();

/** What is needed of a component to show it. */
export type Showable = Loadable & Pick<ComponentMetadata, 'capability'> & { readonly label?: string };

/**
 * Shows a resource with a component: loads it, creates its element, serves its data, sets `entry` or what its capabilities
 * say, and puts it into the page. Where the same place is given to another component meanwhile, the later call wins, and this one's element is
 * put nowhere. Something else in the page may have taken the name of the element; then it is shown in a sandboxed frame.
 * So is a component that nobody answers for, unless the page gives the hash of its module: it reads what everybody may read,
 * without `fetch` and `handler`, and writes nothing.
 *
 * @param entry URL of the data; a relative one is resolved against the page
 * @throws HostError as `loadComponent`, or `module` when the element cannot be created; where its capabilities say how
 * it is put to work, also when it shows nothing within five seconds
 */
export async function showComponent(
  component: Showable,
  entry: string,
  options: ShowOptions,
): Promise<Shown> {
  return showIn(reserve(options.into), component, entry, options);
}

/** A turn at a place; earlier turns at the same place are over. */
export interface Turn {
  readonly isOver: () => boolean;
  /**
   * Puts what is shown into the place, instead of what was there.
   * @returns puts back what was there, where it was no component
   */
  readonly take: (shown: Shown) => () => void;
}

export function reserve(into: Element): Turn {
  const before = latest.get(into);
  const mine: { shown?: Shown } = before?.shown ? { shown: before.shown } : {};
  latest.set(into, mine);
  return {
    isOver: () => latest.get(into) !== mine,
    take: (shown) => {
      mine.shown?.stop();
      mine.shown = shown;
      const before = [...into.childNodes];
      into.replaceChildren(shown.element);
      return () => {
        shown.stop();
        if (latest.get(into) === mine) into.replaceChildren(...before);
      };
    },
  };
}

/** The same, at a place that was reserved before the component was found. */
export async function showIn(
  turn: Turn,
  component: Showable,
  entry: string,
  options: ShowOptions,
  purpose: Purpose = options,
): Promise<Shown> {
  const url = webUrl(entry);
  if (url === undefined) throw new HostError('request', `${entry} is no http or https URL`);
  const way = wayOf(component, purpose);
  if (!way) return showLinks(turn, [component], url);
  const isFramed = !mayRunInPage(component, options.integrity);
  const { fetch, handler: own = solidData({ fetch }), report } = options;
  const handler = isFramed ? publicData : own;
  const made = await make(component, url, way, { ...options, handler, isFramed });
  const { element } = made;
  // Before it has an entry, because it may ask for its data as soon as it has one.
  const stopServing = serveData(element, handler, { report });
  if (way.by === 'events' && !isFramed) element.setAttribute('entry', url);
  const stop = () => {
    stopServing();
    element.remove();
  };
  const shown = { component, element, openWith: await openingsIn([component], url), stop };
  if (turn.isOver()) {
    stop();
    return shown;
  }
  const giveBack = turn.take(shown);
  try {
    await made.appeared?.();
  } catch (error) {
    giveBack();
    throw error;
  }
  return shown;
}

/** Shows links to the applications among some components. @throws HostError `module` when there are none */
export async function showLinks(turn: Turn, components: readonly Showable[], url: string): Promise<Shown> {
  const openWith = await openingsIn(components, url);
  const [component] = components;
  if (!component || openWith.length === 0) {
    const which = components.map(({ uri }) => uri).join(', ');
    throw new HostError('module', `${which}: no capability says how to do that with ${url} in a page`);
  }
  const element = (await invocations()).openWith(openWith);
  const shown = { component, element, openWith, stop: () => element.remove() };
  if (!turn.isOver()) turn.take(shown);
  return shown;
}

/** Links for the applications among some components. */
export async function openingsIn(components: readonly Showable[], url: string): Promise<readonly Opening[]> {
  return components.some(isApplication) ? (await invocations()).openings(components, url) : [];
}

function isApplication({ capability = [] }: Showable): boolean {
  return capability.some(({ invocation }) =>
    invocation?.some(({ type }) => type === 'ac:UriTemplateInvocation'),
  );
}

async function make(
  component: Showable,
  url: string,
  way: Way,
  { integrity, handler, report = warn, isFramed }: ShowOptions & { handler: DataHandler; isFramed: boolean },
): Promise<Pick<Made, 'element'> & Partial<Made>> {
  if (way.by === 'invocation') {
    const making = { component, url, way, handler, report, integrity, isFramed };
    return (await invocations()).make(making, TOOLS);
  }
  if (isFramed) return (await invocations()).makeInFrame(component, url, integrity, TOOLS);
  const name = await loadComponent(component, { integrity });
  return { element: createElement(name, component.uri) };
}

function createElement(name: string, uri: string): HTMLElement {
  const element = document.createElement(name);
  if (!(element instanceof HTMLUnknownElement)) return element;
  throw new HostError('module', `the element of ${uri} throws when it is created; see the console`);
}

/** Components of the specification need nothing of it. */
function invocations(): Promise<typeof import('./invocation/invoke.js')> {
  return needed(import('./invocation/invoke.js'), 'invokes components');
}

const TOOLS: Tools = {
  HostError,
  hearDefinitions,
  moduleLoad,
  oneAtATime,
  parseRdf,
  toTriples,
  topicsOf,
  readPublic,
};
