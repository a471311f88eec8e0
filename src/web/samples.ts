import { html } from 'hono/html';
import { STARTER } from '../component/source.js';
import type { Description } from '../registry/description.js';
import { type NodeView, rootPath } from './view.js';

type Markup = ReturnType<typeof html>;

/** The badge of a component that is a sample, or for which nobody here answers; nothing for all others. */
export function originBadge({ source, trust }: Pick<Description, 'source' | 'trust'>): Markup {
  if (source.kind === 'sample')
    return html` <span class="sample">${source.url === STARTER.url ? 'starter set' : 'sample'}</span>`;
  if (trust !== 'learned') return html``;
  return html` <span class="learned" title="Another node told of its source. The operator of this node has not named it, so nobody here answers for it.">learned</span>`;
}

/** The lines on every page of a node that shows samples or the starter set, with the buttons that remove them. */
export function samplesNotice({ baseUrl, samples, starter }: NodeView): Markup {
  const root = rootPath(baseUrl);
  return html`${
    samples?.shown
      ? html`<aside class="samples" aria-label="Samples"><p>This node shows samples. <a href="${root}/demo">See them at work</a></p>
${samples.clickable ? setForm(root, SAMPLES_FORM, 'ask', 'Remove them') : ''}</aside>`
      : ''
  }${
    starter?.shown
      ? html`<aside class="samples" aria-label="Starter set"><p>This node lists the <a href="${root}/starter">starter set</a>.</p>
${starter.clickable ? setForm(root, STARTER_FORM, 'remove', 'Remove it') : ''}</aside>`
      : ''
  }`;
}

/** The way to the samples while they are not shown, where a visitor may have them shown. */
export function demoLink({ baseUrl, samples }: NodeView): Markup | '' {
  if (!samples?.clickable || samples.shown) return '';
  return html` To see how it works: <a href="${rootPath(baseUrl)}/demo">/demo</a>`;
}

/** What a node without components offers: its samples, by a click or by its command line. */
export function samplesOffer({ baseUrl, samples }: NodeView): Markup {
  if (!samples) return html``;
  if (!samples.clickable)
    return html`<p>To see how it works, start it with <code>--demo</code>: it then shows samples.</p>`;
  return html`<p>To see how it works, have it show samples: a few small components with data that you can change. They are kept
apart, and go with one click.</p>${setForm(rootPath(baseUrl), SAMPLES_FORM, 'show', 'Show samples')}`;
}

/** What a node without components offers beside its samples: the starter set. */
export function starterOffer({ baseUrl, starter }: NodeView): Markup {
  if (!starter || starter.shown) return html``;
  if (!starter.clickable)
    return html`<p>To begin with real components, start it with <code>--starter</code>: it then lists viewers and editors for what people keep in their pods.</p>`;
  return html`<p>To begin with real components, list the starter set: viewers and editors for what people keep in their pods. It is kept
apart, too.</p>${setForm(rootPath(baseUrl), STARTER_FORM, 'show', 'List the starter set')}`;
}

/** Asked where data of the samples was changed: that goes with them. */
export function samplesQuestion({ baseUrl }: NodeView): Markup {
  const root = rootPath(baseUrl);
  return html`<section class="alert" aria-labelledby="remove"><h2 id="remove">Remove the samples?</h2>
<p>Somebody has changed their data here. That goes with them, and cannot be had back.</p>
${setForm(root, SAMPLES_FORM, 'remove', 'Remove them and what was changed')}
<p><a href="${root}/demo">Keep them</a></p></section>`;
}

const SAMPLES_FORM = { path: '/demo', field: 'samples' };
const STARTER_FORM = { path: '/starter', field: 'starter' };

function setForm(
  root: string,
  { path, field }: typeof SAMPLES_FORM,
  wanted: 'show' | 'ask' | 'remove',
  words: string,
): Markup {
  return html`<form method="post" action="${root}${path}"><input type="hidden" name="${field}" value="${wanted}"><button>${words}</button></form>`;
}
