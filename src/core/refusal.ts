import type { SourceKind } from '../component/source.js';
import { parsedUrl } from '../lib/can-parse-url.js';

/**
 * Why an address that a peer lists is not read, and what the operator can do about it: words for people, to be
 * read behind one address or several and a colon.
 */
export const REFUSAL_ADVICE = {
  'no-iri': 'none that RDF can hold (RFC 3987), percent-encoded either',
  'no-address':
    'no http(s) URL of a node or a pod, or one with a fragment, with a user name, or longer than 2,048 characters',
  own: 'this node itself, or what leads back to it',
  denied: 'discovery.deny names the host',
  'not-allowed': 'discovery.allow does not name the host',
  'private-address':
    'in a private network, which this node does not read of what it learns, unless network.allowPrivate is on',
  rejected: 'rejected by the operator',
  'not-approved': 'waiting for the approval of the operator, signed in on /network (discovery.approve)',
  'beyond-depth': 'farther away than discovery.depth',
  'over-cap': 'as many as discovery.maxPeers or discovery.maxPods allow are learned already',
  'list-cut': 'a list with more than 10,000 addresses, of which the others are not read',
} as const;
export type RefusalReason = keyof typeof REFUSAL_ADVICE;
export const REFUSAL_REASONS = Object.keys(REFUSAL_ADVICE) as readonly RefusalReason[];

/** An address that is not read, or a list of them of which only the beginning is. */
interface Refusal {
  readonly url: string;
  readonly kind: Extract<SourceKind, 'pod' | 'peer'>;
  /** The peer that told of it; the first of them, where several did. */
  readonly via: string;
  readonly reason: RefusalReason;
}

export interface Refusals {
  /** Addresses by reason; reasons that nothing is refused for are left out. */
  readonly counts: Readonly<Partial<Record<RefusalReason, number>>>;
  readonly examples: readonly Refusal[];
}

/** Reasons that nobody may have meant: the operator should look. */
export const UNINTENDED: readonly RefusalReason[] = ['private-address', 'over-cap', 'list-cut'];

/** What everybody may see: private addresses say how a network is built, and are for its operator. */
export function publicRefusals({ counts, examples }: Refusals): Refusals {
  return { counts, examples: examples.filter(({ reason }) => reason !== 'private-address') };
}

/** Refusals for each reason that are named; all are counted. */
const EXAMPLES = 50;

/** Folders of an address that are looked up at most. */
const FOLDERS = 100;

/** Gathers what is refused: each address once, for the first reason that is met. */
export class RefusalTally {
  readonly #all = { pod: new Map<string, Refusal>(), peer: new Map<string, Refusal>() };
  readonly refusals = {
    counts: {} as Partial<Record<RefusalReason, number>>,
    examples: [] as Refusal[],
  };
  /** Of the addresses that the operator should look at (`UNINTENDED`), how many each peer has told of. */
  readonly unintendedBy = new Map<string, number>();

  add(refusal: Refusal): void {
    const { kind, via, reason } = refusal;
    const { counts, examples } = this.refusals;
    const url = asParsed(refusal.url);
    if (this.#all[kind].has(url)) return;
    this.#all[kind].set(url, refusal);
    counts[reason] = (counts[reason] ?? 0) + 1;
    if (counts[reason] <= EXAMPLES) examples.push(refusal);
    if (UNINTENDED.includes(reason)) this.unintendedBy.set(via, (this.unintendedBy.get(via) ?? 0) + 1);
  }

  /** Why addresses are not read, or others that they begin with. */
  readonly refusalsAbove = (uris: readonly string[]): readonly Refusal[] => {
    const { pod, peer } = this.#all;
    const all = new Set(uris.map(asParsed).flatMap(withFolders));
    return [...all].flatMap((url) => [peer.get(url) ?? [], pod.get(url) ?? []].flat());
  };
}

/** An address as the parser writes it, so that its host is found in Unicode as well. */
function asParsed(url: string): string {
  return parsedUrl(url)?.href ?? url;
}

/** A URL, its host, and the folders from there on, with and without a slash at the end. */
function withFolders(uri: string): string[] {
  const above = [uri];
  let end = uri.indexOf('/', uri.indexOf('//') + 2);
  for (let folder = 0; end >= 0 && folder < FOLDERS; folder++) {
    above.push(uri.slice(0, end), uri.slice(0, end + 1));
    end = uri.indexOf('/', end + 1);
  }
  return above;
}
