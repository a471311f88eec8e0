import { createHash } from 'node:crypto';
import { sameBaseUrl, sameUrl } from '../../config/url.js';
import { compareText } from '../../lib/compare-text.js';

/**
 * Nodes in the order in which they are to read a pod: by SHA-256 of the URLs of pod and node, the greatest first
 * (rendezvous hashing, or highest random weight: Thaler and Ravishankar, 1998). Every node that knows of the same ones
 * comes to the same order, and when one leaves, the order of the others stays.
 */
export function inOrderFor(pod: string, nodes: Iterable<string>): string[] {
  const weighed = [...nodes].map((node) => ({ node, weight: weightOf(pod, node) }));
  return weighed
    .sort((one, other) => compareText(other.weight, one.weight) || compareText(one.node, other.node))
    .map(({ node }) => node);
}

/** A number from 0 to below 1 that pod and node have in common, and hardly any other two. */
export function shareOf(pod: string, node: string): number {
  return Number.parseInt(weightOf(pod, node).slice(0, 8), 16) / 2 ** 32;
}

/** 64 hexadecimal digits. A line break stands in no URL. */
function weightOf(pod: string, node: string): string {
  return createHash('sha256')
    .update(`${sameUrl(pod)}\n${sameBaseUrl(node)}`)
    .digest('hex');
}
