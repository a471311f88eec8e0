import { html } from 'hono/html';
import type { Description } from '../../catalog/description.js';
import { type Capability, DEFAULT_ACTION, type Invocation, KINDS } from '../../component/capability.js';
import { isChanged } from '../../component/pin.js';
import { shapeName } from '../../component/shape-names.js';
import { isOfThisNode } from '../../component/source.js';
import type { Facts, ModuleHost } from '../../explain/facts.js';
import { rootPath } from '../../http/paths.js';
import { counted } from '../../lib/counted.js';
import { time } from '../shell/fragments.js';
import type { Markup } from '../shell/page.js';

/** What this node knows of a component by itself, for those who ask whether they may use it. */
export function factSection(facts: Facts, { source }: Description): Markup {
  const { firstSeen, sourceFirstRead, module, npm, sameName, bytes } = facts;
  return html`<section aria-labelledby="facts"><h2 id="facts">What this node knows by itself</h2>
<p class="hint">No author can make any of this look better than it is.</p>
<dl class="facts">
<div><dt>First seen</dt><dd>${time(firstSeen)} <small>at the latest: an edit of its description can only move this to a later time</small></dd></div>
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

/** Which bytes the module must have, and who says so: a line among the facts of a component. */
export function pinFacts({ metadata: { integrity }, pin }: Pick<Description, 'metadata' | 'pin'>): Markup {
  const pinned = integrity ?? pin?.integrity;
  if (pinned === undefined) return html``;
  const who = integrity === undefined ? 'as this node saw them first' : 'promised by the author';
  return html`<div><dt>Bytes</dt><dd><code>${pinned}</code> <small>${who}</small></dd></div>`;
}

/** That the bytes are not what they should be; hosts that check them run nothing of them. */
export function changedNotice(
  { metadata: { version, integrity }, pin }: Pick<Description, 'metadata' | 'pin'>,
  baseUrl: string,
): Markup {
  if (!pin || !isChanged(pin)) return html``;
  const [were, are] =
    integrity === undefined ? ['were', 'are'] : ['should be', 'are, or are promised to be,'];
  const others = [{ ...pin, uri: undefined }, ...(pin.files ?? [])].filter(
    ({ changed }) => changed !== undefined,
  );
  const lines = others.map(
    ({ uri, integrity: first, changed }) =>
      html`${uri === undefined ? 'they' : html`those of <code>${uri}</code>, which it imports,`} ${were} <code>${first}</code> and ${are} <code>${changed}</code>. `,
  );
  return html`<p class="alert" role="alert"><strong>The bytes of this module have changed</strong> ${version === undefined ? 'although it has no version' : html`under version ${version}`}: ${lines}Hosts do not run it. If it is a new release, its author gives it a new version. The operator of this node can have it
<a href="${rootPath(baseUrl)}/docs/operators#pinned-modules">forget what it saw</a>.</p>`;
}

/** What a component can do with what, and how it is put to work, in plain words. */
export function capabilityFacts(capabilities: readonly Capability[] = []): Markup {
  if (capabilities.length === 0) return html``;
  return html`<div><dt>Can</dt><dd><ul>${capabilities.map(
    (capability) => html`<li>${sentence(capability)} ${means(capability.invocation)}</li>`,
  )}</ul></dd></div>`;
}

function sentence(capability: Capability): Markup {
  const { action = DEFAULT_ACTION, resourceType = [], shape = [], accept = [], output = [] } = capability;
  const what = [...resourceType, ...shape].map(shapeName);
  return html`${wordOf(action)}${what.length > 0 ? ` ${what.join(', ')}` : ''}${accept.length > 0 ? ` given as ${accept.join(', ')}` : ''}${output.length > 0 ? `, which becomes ${output.join(', ')}` : ''}${capability.summary ? html`: <bdi>${capability.summary}</bdi>` : ''}`;
}

/** The last part of a name: `odrl:display` is display, and an IRI ends with its name, too. */
function wordOf(action: string): string {
  return action.split(/[:/#]/).at(-1) || action;
}

function means(invocations: readonly Invocation[] | undefined): Markup {
  if (invocations?.length === 0) return html`<small>its author does not say how</small>`;
  if (!invocations)
    return html`<small>by the attribute <code>entry</code> and the events of this registry</small>`;
  return html`<small>${invocations.map((one, i) => html`${i > 0 ? ', or ' : ''}${meansOf(one)}`)}</small>`;
}

function meansOf(invocation: Invocation): Markup {
  if (invocation.type === KINDS.element)
    return html`as the element <code>&lt;${invocation.element}&gt;</code>`;
  return invocation.type === KINDS.fragment ? html`as a piece of HTML` : html`by a link that opens it`;
}
