import { html } from 'hono/html';
import {
  type Capability,
  DEFAULT_ACTION,
  type ElementInvocation,
  type Invocation,
  KINDS,
} from '../../../component/capability.js';
import { shapeName } from '../../../component/shape-names.js';
import type { Markup } from '../../../web/page.js';

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
  const { type } = invocation;
  if (type === KINDS.element)
    return html`as the element <code>&lt;${(invocation as ElementInvocation).element}&gt;</code>`;
  if (type === KINDS.fragment) return html`as a piece of HTML`;
  if (type === KINDS.template) return html`by a link that opens it`;
  return html`in a way that only some hosts know, <code>${type}</code>`;
}
