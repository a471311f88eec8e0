import { type Source, sourceKey } from '../../component/precedence.js';
import { LtHash } from '../../lib/lt-hash.js';
import type { Registry } from '../../registry/registry.js';
import type { SourceRecord } from '../../registry/source-record.js';
import { peerMemo } from '../peer/peer-memo.js';

/** Digests of sources, by `sourceKey`. */
export type Digests = ReadonlyMap<string, string>;

/** The digest of a source that says nothing. */
export const NOTHING = LtHash.empty().digest();

/** What configured peers say of pods, in digests: as their feed has told, or as they have answered when they were asked. */
export class PeerClaims {
  readonly #registry: Pick<Registry, 'source'>;
  /** By URL, of those that are followed by their feed. */
  readonly #told = new Map<string, Digests>();
  /** Answers to questions, which count until the feed tells something else: it may have told something wrong. */
  readonly #answered = new Map<string, { readonly told: string; readonly digest: string }>();

  constructor(registry: Pick<Registry, 'source'>) {
    this.#registry = registry;
  }

  /** Is it known what the peer says? */
  has(peer: string): boolean {
    return this.#told.has(peer);
  }

  of(peer: string, pod: string): string {
    const told = this.#toldOf(peer, pod);
    const answer = this.#answered.get(keyOf(peer, pod));
    return answer?.told === told ? answer.digest : told;
  }

  /** Looks up what the feed of a peer has told by now. */
  async load(peer: string): Promise<void> {
    const told = digestsIn((await this.#registry.source({ kind: 'peer', url: peer }))?.record);
    if (told) this.#told.set(peer, told);
    else this.#told.delete(peer);
  }

  /** Notes what a peer has answered. */
  answered(peer: string, pod: string, digest: string): void {
    const told = this.#toldOf(peer, pod);
    if (told === digest) this.#answered.delete(keyOf(peer, pod));
    else this.#answered.set(keyOf(peer, pod), { told, digest });
  }

  /** Forgets what was answered about pods that are no longer known. */
  keep(pods: ReadonlySet<string>): void {
    for (const key of this.#answered.keys()) if (!pods.has(podOf(key))) this.#answered.delete(key);
  }

  #toldOf(peer: string, pod: string): string {
    const source: Source = { kind: 'pod', url: pod };
    return this.#told.get(peer)?.get(sourceKey(source)) ?? NOTHING;
  }
}

/** Nothing of a peer that is not followed by its feed. */
function digestsIn(record: SourceRecord | undefined): Digests | undefined {
  const { cursor, lines = [] } = peerMemo(record).feed ?? {};
  return cursor === undefined ? undefined : new Map(lines.map(([of, , , digest]) => [of, digest]));
}

/** A line break stands in no URL. */
function keyOf(peer: string, pod: string): string {
  return `${peer}\n${pod}`;
}

function podOf(key: string): string {
  return key.slice(key.indexOf('\n') + 1);
}
