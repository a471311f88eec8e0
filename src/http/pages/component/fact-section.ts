import { html } from 'hono/html';
import { isOfThisNode } from '../../../component/source.js';
import type { Facts, ModuleHost } from '../../../explain/facts.js';
import { counted } from '../../../lib/counted.js';
import type { Description } from '../../../registry/description.js';
import { time } from '../../../web/fragments.js';
import type { Markup } from '../../../web/page.js';

/** What this node knows of a component by itself, for those who ask whether they may use it. */
export function factSection(facts: Facts, { source }: Description): Markup {
  const { firstSeen, sourceFirstRead, module, npm, sameName, bytes } = facts;
  return html`<section aria-labelledby="facts"><h2 id="facts">What this node knows by itself</h2>
<p class="hint">No author can make any of this look better than it is.</p>
<dl class="facts">
<div><dt>First seen</dt><dd>${time(firstSeen)} <small>at the latest: who edits a description may make this later, and never earlier</small></dd></div>
${isOfThisNode(source) ? '' : html`<div><dt>Its source</dt><dd>${sourceFirstRead === undefined ? 'was not read by this node itself' : html`first read ${time(sourceFirstRead)}`}</dd></div>`}
<div><dt>Comes from</dt><dd>${module.host} <small>${HOST_WORDS[module.of]}</small></dd></div>
${npm ? html`<div><dt>npm package</dt><dd><a href="https://www.npmjs.com/package/${npm.name}/v/${npm.version}" rel="noreferrer">${npm.name} ${npm.version}</a> <small>by its address at ${npm.cdn}. Nobody here has compared the bytes; npm's page says who published the package, and from which source code.</small></dd></div>` : ''}
<div><dt>Same name</dt><dd>${sameName === 0 ? 'no component of another source' : html`<a href="#namesakes">${counted(sameName, 'component of another source', 'components of other sources')}</a>`}</dd></div>
<div><dt>Changed</dt><dd>${bytesWords(bytes)}</dd></div>
</dl></section>`;
}

const HOST_WORDS: Readonly<Record<ModuleHost, string>> = {
  node: 'this node itself',
  source: 'the host that describes it, too',
  'named-author': 'not the host that describes it; an author whom the description names is there',
  other: 'neither the host that describes it nor that of an author whom the description names',
};

function bytesWords(bytes: Facts['bytes']): Markup {
  if (!bytes) return html`this node has not looked at its bytes`;
  const { firstSeen, changed, changedAt } = bytes;
  if (!changed) return html`no: the bytes are as they were ${time(firstSeen)}`;
  return html`yes: its bytes were others ${time(changedAt ?? firstSeen)}`;
}
