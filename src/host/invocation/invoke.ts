import type { ElementInvocation, FragmentInvocation } from '../capability.js';
import type { Loadable } from '../load-component.js';
import type { DataHandler } from '../serve-data.js';
import { createElement, type Edit, type ElementPlan, inOne, type Plans, watchEdits } from './element.js';
import { type Claim, claimElements } from './element-names.js';
import { elementNames, fragmentElement } from './fragment.js';
import { Frame, type FrameTask } from './frame.js';
import { Resource } from './resource.js';
import type { Tools } from './tools.js';
import { PATIENCE, showsSomething } from './visible.js';
import type { Way } from './way.js';

export { openings, openWith } from './open-with.js';

/** A component that has been made, and is to be put into the page. */
export interface Made {
  readonly element: HTMLElement;
  /** Resolves when there is something to see. @throws HostError `module` when there is nothing after five seconds */
  appeared(): Promise<void>;
}

export interface Making {
  readonly component: Loadable;
  /** URL of the resource. */
  readonly url: string;
  readonly way: Extract<Way, { readonly by: 'invocation' }>;
  readonly handler: DataHandler;
  readonly report: (error: unknown, event: Event) => void;
  readonly integrity: string | false | undefined;
  /** Has it to be in a frame, because it may not run in the page? */
  readonly isFramed: boolean;
}

/**
 * Makes the element of a component as its invocation says: in the page, or in a sandboxed frame when something else has
 * taken the name of its element. The module of this function is loaded with the first such component.
 * @throws HostError as `loadComponent`, or when the data or the shapes cannot be read
 */
export async function make(making: Making, tools: Tools): Promise<Made> {
  const { invocation } = making.way;
  return invocation.type === 'FragmentInvocation'
    ? makeFragment(making, invocation, tools)
    : makeElement(making, invocation, tools);
}

async function makeFragment(
  making: Making,
  { fragment, module }: FragmentInvocation,
  tools: Tools,
): Promise<Made> {
  const { component, url } = making;
  const claim: Claim = {
    elements: elementNames(fragment),
    modules: module.map((one) => ({ ...one, tag: [], source: component.source })),
    options: { integrity: making.integrity },
  };
  if (making.isFramed || !(await claimElements(claim, tools))) {
    return inFrame(component, { claim, fragment, open: url }, tools);
  }
  return inPage(await fragmentElement(fragment, url), component, tools);
}

async function makeElement(making: Making, invocation: ElementInvocation, tools: Tools): Promise<Made> {
  const { component, url, way, handler } = making;
  const resource = new Resource(url, way.capability, invocation, handler, tools);
  const claim = {
    elements: [invocation.element],
    modules: [component],
    options: { integrity: making.integrity },
  };
  const [isClaimed, all] = await Promise.all([
    !making.isFramed && claimElements(claim, tools),
    plansOf(invocation, resource),
  ]);
  if (!isClaimed || !reserveId(invocation)) {
    return inFrame(component, { claim, ...all }, tools, { resource, making });
  }
  const elements = all.plans.map((plan) => {
    const element = created(plan, component.uri, tools);
    if (plan.write) {
      const tell = (edit: Edit) => void save(edit, resource, element, making);
      watchEdits(element, plan.write, tell, (error) => failed(error, resource, element, making));
    }
    return element;
  });
  return inPage(inOne(elements, all.total), component, tools);
}

const coming = new Set<string>();

/** Some elements find themselves by an id, which a page has once. @returns whether it is free */
function reserveId({ fixed: { id } = {} }: ElementInvocation): boolean {
  if (id === undefined) return true;
  if (coming.has(id) || document.getElementById(id)) return false;
  coming.add(id);
  setTimeout(() => coming.delete(id), PATIENCE);
  return true;
}

function created(plan: ElementPlan, uri: string, { HostError }: Tools): HTMLElement {
  let element: HTMLElement;
  try {
    element = createElement(plan);
  } catch (cause) {
    throw new HostError('module', `the element of ${uri} cannot be made: ${String(cause)}`, { cause });
  }
  if (!(element instanceof HTMLUnknownElement)) return element;
  throw new HostError('module', `the element of ${uri} throws when it is created; see the console`);
}

/** So many things of one document are shown. */
const MOST = 50;

/**
 * An element that is told its subject shows one thing: of a document with several, each is shown by an element of its own. An
 * editor gets the first one, because two would write over one another.
 */
async function plansOf(
  { element, fixed = {}, mapping, write }: ElementInvocation,
  resource: Resource,
): Promise<Plans> {
  const isOfOne = mapping.some(({ property }) => property === 'subject');
  const [values, subjects] = await Promise.all([
    Promise.all(mapping.map(async (one) => ({ ...one, value: await resource.value(one.property) }))),
    isOfOne ? resource.subjects() : [undefined],
  ]);
  const plans = subjects.slice(0, write ? 1 : MOST).map((subject) => {
    const known = values.flatMap(
      ({ variable, property, value = property === 'subject' ? subject : undefined }) =>
        value === undefined ? [] : [{ variable, value }],
    );
    return { element, fixed, values: known, write };
  });
  return { plans, total: subjects.length };
}

function inPage(element: HTMLElement, { uri }: Loadable, tools: Tools): Made {
  const appeared = async () => {
    if (!(await showsSomething(element, PATIENCE))) throw blank(uri, tools);
  };
  return { element, appeared };
}

/** A component of the specification in a frame, where it reads what everybody may read and writes nothing. */
export function makeInFrame(
  component: Loadable,
  url: string,
  integrity: Making['integrity'],
  tools: Tools,
): Made {
  return inFrame(component, { component, entry: url, integrity }, tools);
}

/** @param edited what becomes of edits in the frame; nothing where it has no editor */
function inFrame(
  { uri }: Loadable,
  task: FrameTask,
  tools: Tools,
  edited?: { readonly resource: Resource; readonly making: Making },
): Made {
  const frame = new Frame(task, `${uri}, in a frame`, tools.HostError);
  if (edited) {
    const { resource, making } = edited;
    frame.onEdit = (edit) => void save(edit, resource, frame.element, making);
    frame.onFailure = (error) => failed(error, resource, frame.element, making);
  }
  const appeared = async () => {
    if (!(await frame.shows)) throw blank(uri, tools);
  };
  return { element: frame.element, appeared };
}

function blank(uri: string, { HostError }: Tools): Error {
  return new HostError('module', `${uri} shows nothing after ${PATIENCE / 1000} s`);
}

async function save(edit: Edit, resource: Resource, element: HTMLElement, making: Making): Promise<void> {
  try {
    const data = await resource.edit(edit);
    respond(element, requestOf(resource), data);
  } catch (error) {
    failed(error, resource, element, making);
  }
}

function failed(error: unknown, resource: Resource, element: HTMLElement, { report }: Making): void {
  const request = requestOf(resource);
  report(error, request);
  respond(element, request);
}

/** What a component of the specification would have asked for. */
function requestOf({ document: uri }: Resource): CustomEvent<{ uri: string; type: string }> {
  return new CustomEvent('component-data-write', { detail: { uri, type: 'quads' } });
}

/** The page hears at the element what became of an edit, as it does of requests. */
function respond(element: HTMLElement, cause: ReturnType<typeof requestOf>, data?: unknown): void {
  const detail = { ...cause.detail, data, success: data !== undefined, cause };
  element.dispatchEvent(new CustomEvent('component-data-response', { detail }));
}
