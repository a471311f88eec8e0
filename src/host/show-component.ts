import type { ComponentMetadata } from './component-metadata.js';
import type { Fetch } from './fetching.js';
import { HostError } from './host-error.js';
import { type Loadable, loadComponent } from './load-component.js';
import { webUrl } from './page-url.js';
import { type DataHandler, type ServeOptions, serveData } from './serve-data.js';
import { solidData } from './solid-data.js';

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
}

/** A component that is shown. */
export interface Shown {
  readonly component: Pick<ComponentMetadata, 'uri' | 'tag'>;
  readonly element: HTMLElement;
  /** Takes the element away, and answers its requests no more. */
  stop(): void;
}

/** What was shown last in a place, or is about to be. */
const latest = new WeakMap<Element, { shown?: Shown }>();

/**
 * Shows a resource with a component: loads it, creates its element, serves its data, sets `entry`, and puts it into the
 * page. Where the same place is given to another component meanwhile, the later call wins, and this one's element is
 * put nowhere.
 *
 * @param entry URL of the data; a relative one is resolved against the page
 * @throws HostError as `loadComponent`, or `module` when the element cannot be created
 */
export async function showComponent(
  component: Loadable,
  entry: string,
  options: ShowOptions,
): Promise<Shown> {
  return showIn(reserve(options.into), component, entry, options);
}

/** A turn at a place; earlier turns at the same place are over. */
export interface Turn {
  readonly isOver: () => boolean;
  /** Puts what is shown into the place, instead of what was there. */
  readonly take: (shown: Shown) => void;
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
      into.replaceChildren(shown.element);
    },
  };
}

/** The same, at a place that was reserved before the component was found. */
export async function showIn(
  turn: Turn,
  component: Loadable,
  entry: string,
  { fetch, handler, report, integrity }: ShowOptions,
): Promise<Shown> {
  const url = webUrl(entry);
  if (url === undefined) throw new HostError('request', `${entry} is no http or https URL`);
  const name = await loadComponent(component, integrity === undefined ? {} : { integrity });
  const element = document.createElement(name);
  if (element instanceof HTMLUnknownElement) {
    throw new HostError(
      'module',
      `the element of ${component.uri} throws when it is created; see the console`,
    );
  }
  // Before it has an entry, because it may ask for its data as soon as it has one.
  const stopServing = serveData(
    element,
    handler ?? solidData(fetch ? { fetch } : {}),
    report ? { report } : {},
  );
  const stop = () => {
    stopServing();
    element.remove();
  };
  element.setAttribute('entry', url);
  const shown = { component, element, stop };
  if (turn.isOver()) stop();
  else turn.take(shown);
  return shown;
}
