import { html } from 'hono/html';
import type { Description } from '../../catalog/description.js';
import { STARTER } from '../../component/source.js';
import { rootPath } from '../../http/paths.js';
import type { NodeView } from './view.js';

type Markup = ReturnType<typeof html>;

/** The badge of a component that is a sample, or for which nobody here answers; nothing for all others. */
export function originBadge({ source, trust }: Pick<Description, 'source' | 'trust'>): Markup {
  if (source.kind === 'sample')
    return html` <span class="sample">${source.url === STARTER.url ? 'starter set' : 'sample'}</span>`;
  if (trust !== 'learned') return html``;
  return html` <span class="learned" title="Another node told of its source. The operator of this node has not named it, so nobody here answers for it.">learned</span>`;
}

/** What every page of a node says that lists samples or the starter set. */
export function shippedNotice({ baseUrl, shipped = [] }: NodeView): Markup {
  const root = rootPath(baseUrl);
  if (shipped.length === 0) return html``;
  const demo = html`<p>This node lists samples: <a href="${root}/?tag=sample">see them</a>.</p>`;
  const starter = html`<p>This node lists the starter set: <a href="${root}/?tag=starter">see it</a>,
or <a href="${root}/starter/index.json">what its modules are built from</a>.</p>`;
  return html`<aside class="samples" aria-label="What comes with this software">${shipped.includes('demo') ? demo : ''}${shipped.includes('starter') ? starter : ''}</aside>`;
}

/** What the operator of a node without components can have it list. */
export const SHIPPED_OFFER = html`<p>To see how it works, start the node with <code>--demo</code>: it then lists samples, with data to try them with.
To begin with real components, start it with <code>--starter</code>: it then lists viewers and editors for what people keep in their pods.</p>`;
