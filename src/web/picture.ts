import { html } from 'hono/html';
import type { Metadata } from '../component/metadata.js';
import type { Markup } from './page.js';
import { type NodeView, rootPath } from './view.js';

/**
 * The picture of a component, from this node's copy; nothing where it has none. In lists it stands beside the name, and says
 * nothing more: `alt` is empty there.
 */
export function pictureOf({ uri, image }: Metadata, { baseUrl, pictures }: NodeView, alt = ''): Markup | '' {
  if (image === undefined || !pictures?.has(image)) return '';
  const address = `${rootPath(baseUrl)}/image?${new URLSearchParams({ uri })}`;
  return html`<img class="looks${alt === '' ? ' small' : ''}" src="${address}" alt="${alt}" width="160" height="100" loading="lazy">`;
}
