import type { Fingerprint } from './fingerprint.js';
import type { PeerReading, PeerRequest } from './peer-request.js';

/** Representations to ask for: all at once, and one by one for nodes that do not understand lists. */
export interface Preference {
  readonly list: string;
  readonly single: readonly string[];
  /** The one media type that is of any use, where there is only one. */
  readonly only?: string;
}

/** What nodes of ours say with `?graphs=all`: every description, in the graph of its document. */
export const DATASET: Preference = { list: 'application/n-quads', single: [], only: 'application/n-quads' };

export const COMPONENTS: Preference = {
  list: 'application/n-quads, application/ld+json;q=0.9, application/json;q=0.8, text/turtle;q=0.7',
  single: ['application/ld+json', 'application/json', 'text/turtle'],
};
export const ADDRESSES: Preference = {
  list: 'text/turtle, application/json;q=0.9',
  single: ['application/json'],
};
/** The list of the specification, from a node whose Turtle is not understood. */
export const PLAIN_ADDRESSES: Preference = { list: 'application/json', single: [] };

/** Answers of nodes that stumble over a list of media types, or over one that they do not know. */
const STUMBLES = [400, 406, 415, 500, 501];

/** Remembers, per resource, what a peer understood. */
export class Dialect {
  readonly #request: PeerRequest;
  readonly #understood = new Map<Preference, string>();

  constructor(request: PeerRequest) {
    this.#request = request;
  }

  /** Asks in the words that were understood last time; if they are not, in all others. */
  async ask(
    url: string,
    preference: Preference,
    before: Fingerprint,
    signal: AbortSignal,
  ): Promise<PeerReading> {
    const accepts = [preference.list, ...preference.single];
    const first = this.#understood.get(preference) ?? preference.list;
    const { only } = preference;
    const reading = await this.#request({ url, accept: first, only, before, signal });
    if (!isStumble(reading)) return reading;
    for (const accept of accepts.filter((other) => other !== first)) {
      const again = await this.#request({ url, accept, only, before, signal });
      if (isStumble(again)) continue;
      this.#understood.set(preference, accept);
      return again;
    }
    this.#understood.delete(preference);
    return reading;
  }
}

function isStumble(reading: PeerReading): boolean {
  return reading.kind === 'failed' && STUMBLES.includes(reading.status ?? 0);
}
