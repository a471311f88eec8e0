import { html } from 'hono/html';
import type { Description } from '../registry/description.js';
import { type NodeView, rootPath } from './view.js';

type Markup = ReturnType<typeof html>;

/** The mark of a component that is a sample, or for which nobody here answers; nothing for all others. */
export function originMark({ source, trust }: Pick<Description, 'source' | 'trust'>): Markup {
  if (source.kind === 'sample') return html` <span class="sample">sample</span>`;
  if (trust !== 'learned') return html``;
  return html` <span class="learned" title="Another node told of its source. The operator of this node has not named it, so nobody here answers for it.">learned</span>`;
}

/** The line on every page of a node that shows samples, with the button that removes them. */
export function samplesNotice({ baseUrl, samples }: NodeView): Markup {
  if (!samples?.shown) return html``;
  const root = rootPath(baseUrl);
  return html`<aside class="samples" aria-label="Samples"><p>This node shows samples. <a href="${root}/demo">See them at work</a></p>
${samples.clickable ? samplesForm(root, 'remove', 'Remove them') : ''}</aside>`;
}

/** What a node without components offers: its samples, by a click or by its command line. */
export function samplesOffer({ baseUrl, samples }: NodeView): Markup {
  if (!samples) return html``;
  if (!samples.clickable)
    return html`<p>To see how it works, start it with <code>--demo</code>: it then shows samples.</p>`;
  return html`<p>To see how it works, have it show samples: a few small components with data that you can change. They are kept
apart, and go with one click.</p>${samplesForm(rootPath(baseUrl), 'show', 'Show samples')}`;
}

function samplesForm(root: string, wanted: 'show' | 'remove', words: string): Markup {
  return html`<form method="post" action="${root}/demo"><input type="hidden" name="samples" value="${wanted}"><button>${words}</button></form>`;
}
