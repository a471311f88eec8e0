import type { ComponentMetadata, Match } from './component-metadata.js';
import type { Fetch } from './fetching.js';
import { mayRunInPage } from './gate.js';
import { HostError } from './host-error.js';
import type { Edit } from './invocation/element.js';
import { elementNames } from './invocation/fragment.js';
import { makeFrame } from './invocation/frame.js';
import { make, type Surroundings, type Task } from './invocation/make.js';
import { type Opening, openings, openWith } from './invocation/open-with.js';
import { Resource } from './invocation/resource.js';
import { PATIENCE } from './invocation/visible.js';
import { type Purpose, type Way, wayOf } from './invocation/way.js';
import type { Loadable, LoadOptions } from './module-load.js';
import { webUrl } from './page-url.js';
import { type DataHandler, type ServeOptions, warn } from './serve-data.js';
import { publicData, solidData } from './solid-data.js';

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

/** What is needed of a component to show it. */
export type Showable = Loadable & { readonly label?: string };

/**
 * Shows a resource with a component: loads it, creates its element, serves its data, sets `entry` or what its
 * capabilities say, and puts it into the page. Where the same place is given to another component meanwhile, the later
 * call wins, and this one's element is put nowhere. Something else in the page may have taken the name of the element;
 * then it is shown in a sandboxed frame.
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
  /** Puts an element into the place, instead of what was there. @returns puts that back */
  readonly take: (element: HTMLElement) => () => void;
}

const latest = new WeakMap<Element, symbol>();

export function reserve(into: Element): Turn {
  const mine = Symbol('turn');
  latest.set(into, mine);
  const isOver = () => latest.get(into) !== mine;
  const take: Turn['take'] = (element) => {
    const before = [...into.childNodes];
    into.replaceChildren(element);
    return () => isOver() || into.replaceChildren(...before);
  };
  return { isOver, take };
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
  const { integrity, fetch, report = warn } = options;
  const isFramed = !mayRunInPage(component, integrity);
  const handler = isFramed ? publicData : (options.handler ?? solidData({ fetch }));
  const { task, resource } = taskOf(component, url, way, handler, { integrity });
  const around = { handler, report, ...editing(resource, report) };
  const made =
    (isFramed ? undefined : await make(task, around)) ??
    (await makeFrame(task, `${component.uri}, in a frame`, around));
  const { element, stop } = made;
  const shown = { component, element, openWith: openings([component], url), stop };
  if (turn.isOver()) {
    stop();
    return shown;
  }
  const giveBack = turn.take(element);
  try {
    if ((await made.appeared?.()) !== false) return shown;
    throw new HostError('module', `${component.uri} shows nothing after ${PATIENCE / 1000} s`);
  } catch (error) {
    stop();
    giveBack();
    throw error;
  }
}

function taskOf(
  component: Showable,
  url: string,
  { invocation, ...way }: Way,
  handler: DataHandler,
  options: Pick<LoadOptions, 'integrity'>,
): { task: Task; resource?: Resource } {
  if (!invocation) return { task: { by: 'entry', component: component, entry: url, options } };
  if (invocation.type === 'ElementInvocation') {
    const resource = new Resource(url, { ...way, invocation }, handler);
    const claim = { elements: [invocation.element], modules: [component], options };
    return { task: { by: 'elements', claim, plans: resource.plans() }, resource };
  }
  const { fragment } = invocation;
  const modules = invocation.module.map((one) => ({ ...one, tag: [], source: component.source }));
  const claim = { elements: elementNames(fragment), modules, options };
  return { task: { by: 'fragment', claim, fragment, open: url } };
}

/** What becomes of edits. The page hears of it at the element, as it does of requests of components of the specification. */
function editing(
  resource: Resource | undefined,
  report: NonNullable<ServeOptions['report']>,
): Pick<Surroundings, 'edited' | 'failed'> {
  if (!resource) return { edited: () => undefined, failed: () => undefined };
  const detail = { uri: resource.document, type: 'quads' };
  const requested = () => new CustomEvent('component-data-write', { detail });
  const respond = (element: HTMLElement, cause: Event, data?: unknown) => {
    const response = { ...detail, data, success: data !== undefined, cause };
    element.dispatchEvent(new CustomEvent('component-data-response', { detail: response }));
  };
  const failed = (error: unknown, element: HTMLElement) => {
    const request = requested();
    report(error, request);
    respond(element, request);
  };
  const edited = (edit: Edit, element: HTMLElement) =>
    void resource.edit(edit).then(
      (data) => respond(element, requested(), data),
      (error) => failed(error, element),
    );
  return { edited, failed };
}

/** Shows links to the applications among some components. @throws HostError `module` when there are none */
export function showLinks(turn: Turn, components: readonly Showable[], url: string): Shown {
  const links = openings(components, url);
  const [component] = components;
  if (!component || links.length === 0)
    throw new HostError(
      'module',
      `${component?.uri}: no capability says how to do that with ${url} in a page`,
    );
  const element = openWith(links);
  const shown = { component, element, openWith: links, stop: () => element.remove() };
  if (!turn.isOver()) turn.take(element);
  return shown;
}
