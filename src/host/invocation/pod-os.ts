import type { Fetch } from '../fetching.js';

/** What PodOS's elements read by (`@pod-os/core`). */
type PodOsClass = new (parts: { session: unknown }) => object;

/** Nobody signs in or out: what PodOS would be told of that never comes. */
const nothing: unknown = { pipe: () => nothing, subscribe: () => ({ unsubscribe: () => undefined }) };

/**
 * Has the elements of PodOS read with the page's own fetch: what they ask for with `pod-os:init` is made by the class `PodOS`,
 * where one of their modules exports it.
 */
export function answerPodOs(element: HTMLElement, modules: readonly unknown[], fetch: Fetch): void {
  const PodOs = modules.map((module) => (module as { PodOS?: unknown }).PodOS).find(isClass);
  if (!PodOs) return;
  const session = { authenticatedFetch: fetch, observeSession: () => nothing };
  const podOs = new PodOs({ session });
  element.addEventListener('pod-os:init', (event) => {
    const { detail } = event as CustomEvent<unknown>;
    if (typeof detail !== 'function') return;
    event.stopPropagation();
    detail(podOs);
  });
}

function isClass(value: unknown): value is PodOsClass {
  return typeof value === 'function';
}
