import { HostError } from '../host-error.js';
import { loadComponent } from '../load-component.js';
import type { Loadable, LoadOptions } from '../module-load.js';
import { type DataHandler, type ServeOptions, serveData } from '../serve-data.js';
import { type Claim, claimElements } from './claim.js';
import { createElement, type Edit, type ElementPlan, inOne, watchEdits } from './element.js';
import { fragmentElement } from './fragment.js';
import { PATIENCE, showsSomething } from './visible.js';

/** What is to be shown: a component of the specification, elements, or a fragment of HTML. */
export type Task =
  | {
      readonly by: 'entry';
      readonly component: Loadable;
      readonly entry: string;
      readonly options: Pick<LoadOptions, 'integrity'>;
    }
  | { readonly by: 'elements'; readonly claim: Claim; readonly plans: Plans | Promise<Plans> }
  | { readonly by: 'fragment'; readonly claim: Claim; readonly fragment: string; readonly open: string };

/** What is needed to show one thing or several, each with an element of its own. */
export interface Plans {
  readonly plans: readonly ElementPlan[];
  /** How many things there are; there may be more than plans. */
  readonly total: number;
}

/** What surrounds what is shown: it answers its requests, and hears of edits and of what goes wrong with them. */
export interface Surroundings {
  readonly handler: DataHandler;
  readonly report: ServeOptions['report'];
  readonly edited: (edit: Edit, element: HTMLElement) => void;
  readonly failed: (error: unknown, element: HTMLElement) => void;
}

/** Something that has been made, and is to be put into a document. */
export interface Made {
  readonly element: HTMLElement;
  /** Is there something to see, within five seconds? Asked when the element is in the document. */
  readonly appeared?: () => Promise<boolean>;
  /** Takes it away, and answers its requests no more. */
  readonly stop: () => void;
}

/**
 * Makes what is to be shown, in this window: a page, or a frame of its own.
 * @returns undefined when something else in the window has a name that it needs
 * @throws HostError as `loadComponent`, or when the data or the shapes cannot be read
 */
export async function make(task: Task, around: Surroundings): Promise<Made | undefined> {
  const element = await elementFor(task, around);
  if (!element) return undefined;
  // Before it has an entry, because it may ask for its data as soon as it has one.
  const stopServing = serveData(element, around.handler, { report: around.report });
  const stop = () => {
    stopServing();
    element.remove();
  };
  if (task.by !== 'entry') return { element, stop, appeared: () => showsSomething(element, PATIENCE) };
  element.setAttribute('entry', task.entry);
  return { element, stop };
}

async function elementFor(task: Task, around: Surroundings): Promise<HTMLElement | undefined> {
  if (task.by === 'entry') {
    const name = await loadComponent(task.component, task.options);
    return created({ element: name, fixed: {}, values: [], write: undefined }, task.component);
  }
  if (task.by === 'fragment') {
    return (await claimElements(task.claim)) ? fragmentElement(task.fragment, task.open) : undefined;
  }
  const [isClaimed, { plans, total }] = await Promise.all([claimElements(task.claim), task.plans]);
  if (!isClaimed) return undefined;
  const elements = plans.map((plan) => {
    const element = created(plan, task.claim.modules[0]);
    const tell = (edit: Edit) => around.edited(edit, element);
    if (plan.write) watchEdits(element, plan.write, tell, (error) => around.failed(error, element));
    return element;
  });
  return inOne(elements, total);
}

function created(plan: ElementPlan, { uri }: Partial<Loadable> = {}): HTMLElement {
  let element: HTMLElement;
  try {
    element = createElement(plan);
  } catch (cause) {
    throw new HostError('module', `the element of ${uri} cannot be made: ${String(cause)}`, { cause });
  }
  if (!(element instanceof HTMLUnknownElement)) return element;
  throw new HostError('module', `the element of ${uri} throws when it is created; see the console`);
}
