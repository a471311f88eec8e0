import { html } from 'hono/html';
import { unintendedCount } from '../../explain/refusal.js';
import { rootPath } from '../../http/paths.js';
import { counted } from '../../lib/counted.js';
import type { NodeView } from './view.js';

type Markup = ReturnType<typeof html>;

/**
 * How the node fares, at the foot of every page, in the words of `/health`. Nothing is green while its storage or all of its sources
 * fail, or while it does not read something that it was told of and nobody meant to be left out.
 */
export function stateOf(node: NodeView): Markup {
  const { health, baseUrl, refused = {} } = node;
  const network = `${rootPath(baseUrl)}/network`;
  if (health !== 'serving') return html`<span class="state ${health}">${health}</span>`;
  if (node.isStorageFailing)
    return html`${health}, <span class="state failing">storage failing</span>: what you see may be old`;
  if (node.allSourcesFail)
    return html`${health}, <span class="state failing">all <a href="${network}">sources</a> failing</span>: what you see may be old`;
  const count = unintendedCount({ counts: refused });
  if (count === 0) return html`<span class="state serving">${health}</span>`;
  return html`${health}, <span class="state attention"><a href="${network}#refused">${counted(count, 'address', 'addresses')} refused</a></span>`;
}

/** The way to what the operator decides, and whether something waits there. */
export function operatorNotice({ baseUrl, refused = {} }: NodeView): Markup {
  const waiting = refused['not-approved'] ?? 0;
  return html`<a href="${rootPath(baseUrl)}/network#operator">/network</a>${waiting === 0 ? '' : ` (${counted(waiting, 'address waits', 'addresses wait')} for approval)`}`;
}

/** What the foot of a page depends on, for its `ETag`. */
export function footVariant({ isStorageFailing, allSourcesFail, refused = {} }: NodeView): string {
  return [
    isStorageFailing,
    allSourcesFail,
    unintendedCount({ counts: refused }),
    refused['not-approved'] ?? 0,
  ].join();
}
