import { applicationLink } from '../../component/application-link.js';
import type { ComponentMetadata } from '../component-metadata.js';

/** A link that opens the resource with an application. */
export interface Opening {
  readonly label: string;
  /** An http or https URL. */
  readonly url: string;
}

/** As many links as people look through. */
const SHOWN = 12;

/** Links for the applications among some components, each once, a dozen at most: those of the components that come first. */
export function openings(
  components: readonly (Pick<ComponentMetadata, 'uri' | 'capability'> & { readonly label?: string })[],
  resource: string,
): Opening[] {
  const found = new Map<string, Opening>();
  for (const { uri, label = uri, capability = [] } of components) {
    for (const invocation of capability.flatMap((one) => one.invocation ?? [])) {
      if (found.size === SHOWN) break;
      if (invocation.type !== 'ac:UriTemplateInvocation') continue;
      const url = applicationLink(uri, invocation, resource);
      if (url !== undefined && !found.has(url)) found.set(url, { label, url });
    }
  }
  return [...found.values()];
}

/** The links as an element. */
export function openWith(all: readonly Opening[]): HTMLElement {
  const element = document.createElement('nav');
  element.setAttribute('aria-label', 'Open with');
  const list = document.createElement('ul');
  for (const { label, url } of all) {
    const link = document.createElement('a');
    [link.href, link.textContent, link.rel] = [url, `Open with ${label}`, 'noopener noreferrer'];
    const item = document.createElement('li');
    item.append(link);
    list.append(item);
  }
  element.append(list);
  return element;
}
