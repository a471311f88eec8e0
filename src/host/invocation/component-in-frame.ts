import { loadComponent } from '../load-component.js';
import { serveData } from '../serve-data.js';
import { publicData } from '../solid-data.js';
import type { FrameTask } from './frame.js';

/**
 * The element of a component of the specification, for a frame. The frame has no origin and no credentials: what it can
 * read is public. This is a module of its own, because frames of fragments and of elements with names serve no data.
 * @throws HostError as `loadComponent`
 */
export async function componentInFrame({
  component,
  entry,
  integrity,
}: Extract<FrameTask, { entry: string }>): Promise<HTMLElement> {
  const element = document.createElement(await loadComponent(component, { integrity }));
  serveData(element, publicData);
  element.setAttribute('entry', entry);
  return element;
}
