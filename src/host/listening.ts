import { withoutTrailingSlashes } from '../lib/trailing-slashes.js';
import { type ComponentMetadata, TRUSTS, type Trust, trustIn } from './component-metadata.js';
import { HostError } from './host-error.js';
import type { NodeAnswer } from './node-answers.js';

/** Whose descriptions a page takes. */
export interface Listening {
  /**
   * Only descriptions of these sources count, by their URLs: pods, peers, and nodes for what was posted to them. How far they
   * are trusted does not matter then, unless `trust` says otherwise.
   */
  readonly sources?: readonly string[];
  /**
   * `own`: only what was posted to the node that is asked; `configured`, the default: that, and the sources that its
   * operator has named; `any`: also those that it has learned of from other nodes, for which nobody answers.
   */
  readonly trust?: 'own' | 'configured' | 'any';
}

const LEAST: readonly string[] = ['own', 'configured', 'any'];

/** @throws HostError `request` for a trust that there is not */
export function checkListening({ trust }: Listening): void {
  if (trust !== undefined && !LEAST.includes(trust)) {
    throw new HostError('request', `there is no trust ${trust}; there are ${LEAST.join(', ')}`);
  }
}

/**
 * The components of some answers to which a page listens, each once, and how many are left out because their source is not
 * trusted as far as the page wants.
 */
export function heardIn(
  answers: readonly NodeAnswer[],
  { sources, trust = sources ? 'any' : 'configured' }: Listening,
): { components: ComponentMetadata[]; untrusted: number } {
  const named = sources && new Set(sources.map(comparable));
  const heard = new Map<string, ComponentMetadata>();
  const untrusted = new Set<string>();
  for (const { node, components } of answers) {
    for (const one of components) {
      if (named && !named.has(sourceUrl(node, one))) continue;
      if (!isEnough(trustIn(one), trust)) untrusted.add(one.uri);
      else if (!heard.has(one.uri)) heard.set(one.uri, one);
    }
  }
  return {
    components: [...heard.values()],
    untrusted: [...untrusted].filter((uri) => !heard.has(uri)).length,
  };
}

function isEnough(trust: Trust, least: NonNullable<Listening['trust']>): boolean {
  return TRUSTS.indexOf(trust) <= (least === 'any' ? TRUSTS.length : TRUSTS.indexOf(least));
}

/** The pod or peer that describes a component to a node; the node itself for what was posted there. */
function sourceUrl(node: string, { source }: ComponentMetadata): string {
  return comparable(source?.kind === 'pod' || source?.kind === 'peer' ? source.url : node);
}

/** The same text for all forms of a URL that mean the same, as far as that can be told. */
function comparable(url: string): string {
  return withoutTrailingSlashes(URL.canParse(url) ? new URL(url).href : url);
}
