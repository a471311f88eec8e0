import { sourceKey, sourceOfKey } from '../../component/source.js';
import type { Vocabulary } from '../../component/vocabulary.js';
import type { Config } from '../../config.js';
import { type StatementRules, takeStatement } from '../../core/take.js';
import type { LogTo } from '../../lib/log.js';
import type { Pace } from '../../lib/pace.js';
import type { TaskPool } from '../../lib/pool/task.js';
import { withoutTrailingSlashes } from '../../lib/trailing-slashes.js';
import type { Following } from '../../registry/following.js';
import type { StoredSource } from '../../registry/source-record.js';
import type { PollResult, SyncSource } from '../sync-source.js';
import { AskedPart, RefusedParts } from './asked-part.js';
import { Dialect } from './dialect.js';
import { type ListingReason, pollFeed } from './feed/feed-poll.js';
import { pollListing } from './listing-poll.js';
import { PeerLists } from './peer-lists.js';
import { peerMemo } from './peer-memo.js';
import type { PeerPolling } from './peer-polling.js';
import { createPeerRequest, type PeerAccess } from './peer-request.js';
import { peerStream } from './peer-stream.js';

export interface PeerOptions extends PeerAccess {
  readonly url: string;
  /** The URL of the node that polls. */
  readonly self: string;
  readonly mode: Config['mode'];
  readonly vocabulary: Vocabulary;
  /** Parses what the peer answers. */
  readonly pool: TaskPool;
  /** By which rules its statements are taken, as of now. */
  readonly rules: () => StatementRules;
  /** The most hops of entries of its lists that are of use, as of now; all are when absent. */
  readonly maxHops?: () => number | undefined;
  /** Most documents that are taken from this peer. */
  readonly maxDocuments: number;
  readonly pace: Pace;
  readonly log: LogTo<'error'>;
}

/** What the peer has taken from its own peers is accepted by nobody but a mirror (design, section 6). */
const KINDS = { all: undefined, accepted: 'local,pod', local: 'local' } as const;

/** How long a peer without a feed is read by its listing before it is asked again whether it has one, in ms. */
const DAY = 24 * 60 * 60 * 1000;

/** A peer: whom it knows, and what it has to say about components. */
export function createPeerSource(options: PeerOptions): SyncSource {
  const { url, mode, vocabulary, pool, clock, trust } = options;
  const request = createPeerRequest(options);
  const dialect = new Dialect(request);
  const refused = new RefusedParts(clock);
  const isMirror = mode === 'mirror';
  const accepted = isMirror ? KINDS.all : KINDS.accepted;
  const hops = () => (isMirror ? undefined : options.maxHops?.());
  const part = (kinds: string | undefined) => new AskedPart({ kinds, hops: hops() }, refused);
  // The last word is there because earlier versions left capabilities out: what they remember is read again.
  const readAs = `${mode} ${vocabulary.namespace} capability`;
  const rules = () => ({ ...options.rules(), peer: url, isMirror });
  return {
    source: { kind: 'peer', url },
    trust,
    poll: (stored, progress) => {
      const parsing = { pool, lane: trust, signal: progress.signal };
      const memo = peerMemo(stored?.record);
      const remembered = memo.readAs === readAs ? memo : {};
      const asking = {
        peer: withoutTrailingSlashes(url),
        request,
        dialect,
        part: part(accepted),
        parsing,
        readAs,
        rules,
        remembered,
      };
      return pollPeer({ ...options, ...asking, stored, progress });
    },
    stream: (_, scope) => peerStream(options, { url, trust, part: () => part(scope ?? accepted) }),
    streamScope: isMirror ? undefined : (stored) => kindsToHear(stored, rules()),
  };
}

type ByListing = Following & { by: 'listing' };

/** Polls a peer once: by its change feed where it has one, else by its listing. Rejects when it is stopped. */
function pollPeer(polling: PeerPolling): Promise<PollResult> {
  const { following } = polling.stored?.record ?? {};
  const lists = new PeerLists(polling);
  const before = following?.by === 'listing' ? following : undefined;
  if (before && !looksAgain(before, polling)) return pollListing(polling, lists, before);
  const now = polling.clock.now();
  return pollFeed(polling, lists, ({ why, needs }: ListingReason) =>
    pollListing(polling, lists, { by: 'listing', since: before?.since ?? now, why, looked: now, needs }),
  );
}

/** Once a day, and when there is room for what there was none for. */
function looksAgain({ looked, needs }: ByListing, { progress, clock }: PeerPolling): boolean {
  const now = clock.now();
  const isOver = now - looked >= DAY || now < looked;
  return isOver || (needs !== undefined && progress.limit.components >= needs);
}

/**
 * The kinds of sources of which a stream to a peer has to tell: pods only while there is one that the peer reads, or is about
 * to, and this node neither reads itself nor takes from others. What changes in the others it hears from themselves, and not from each peer again.
 */
function kindsToHear({ record }: StoredSource, rules: StatementRules): string {
  const { lines } = peerMemo(record).feed ?? {};
  if (!lines) return KINDS.accepted;
  const read = lines.map(([of]) => sourceOfKey(of)).filter(({ kind }) => kind === 'pod');
  const pods = [...read, ...(record.introduced?.storage ?? [])];
  const isRefused = ({ url }: { readonly url: string }) =>
    takeStatement({ graph: url, of: sourceKey({ kind: 'pod', url }), isStored: true }, rules) !== 'taken';
  return pods.every(isRefused) ? KINDS.local : KINDS.accepted;
}
