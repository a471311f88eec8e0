/** How sources are read: through one door, and absence is never failure; several processes share the work. */
import { nothingDescribed } from '../../../src/component/reading/described.js';
import type * as address from '../../../src/lib/fetch/address.js';
import type * as bodyStream from '../../../src/lib/fetch/body-stream.js';
import type * as checkedLookup from '../../../src/lib/fetch/checked-lookup.js';
import type * as hop from '../../../src/lib/fetch/hop.js';
import type * as leased from '../../../src/sync/leased.js';
import type * as feedReader from '../../../src/sync/peer/feed-reader.js';
import type * as container from '../../../src/sync/pod/container.js';
import type * as crawl from '../../../src/sync/pod/crawl.js';
import type * as documentRecord from '../../../src/sync/pod/document-record.js';
import type * as podRequest from '../../../src/sync/pod/pod-request.js';
import { breaks } from '../rule.js';

const LOOKUP = 'test/lib/fetch/checked-lookup.test.ts';
const CONTAINER = 'test/sync/pod/pod-container.test.ts';
const SIMULATION = 'test/scripts/simulate/simulation.test.ts';

export const READING = [
  breaks<typeof hop>('lib/fetch/hop', 'test/lib/fetch/guarded-fetch-trust.test.ts', {
    'a redirect into a private network is followed': ({ nextHop }) => ({
      nextHop: (hop, ...to) => ({ ...nextHop(hop, ...to), trust: hop.trust }),
    }),
    'credentials are kept over a redirect': ({ nextHop }) => ({
      nextHop: (hop, ...to) => ({ ...nextHop(hop, ...to), atHome: true }),
    }),
  }),
  breaks<typeof address>('lib/fetch/address', LOOKUP, {
    'private addresses count as public': () => ({ isPublicAddress: () => true }),
  }),
  breaks<typeof checkedLookup>('lib/fetch/checked-lookup', LOOKUP, {
    'of the addresses of a name only the first is checked': ({ checkedLookup }) => ({
      checkedLookup: (lookup, publicOnly) =>
        checkedLookup(async (host) => (await lookup(host)).slice(0, 1), publicOnly),
    }),
  }),
  breaks<typeof bodyStream>('lib/fetch/body-stream', 'test/lib/fetch/body-stream.test.ts', {
    'a body may be larger than its limit': ({ decodedBody }) => ({
      decodedBody: (raw, encoding) => decodedBody(raw, encoding, Number.MAX_SAFE_INTEGER),
    }),
  }),
  breaks<typeof podRequest>('sync/pod/pod-request', 'test/sync/pod/pod-failing-members.test.ts', {
    "a 404 of a pod's own URL is taken for a deletion": ({ createPodRequest }) => ({
      createPodRequest: (access) => async (question, signal) => {
        const reading = await createPodRequest(access)(question, signal);
        const { url } = question;
        if (reading.kind !== 'withdrawn' || url !== access.url) return reading;
        const empty = { isContainer: true, members: [] };
        return { kind: 'content', url, date: Date.now(), ...nothingDescribed(), ...empty };
      },
    }),
    'a time-out is taken for absence': ({ createPodRequest }) => ({
      createPodRequest: (access) => async (question, signal) => {
        const reading = await createPodRequest(access)(question, signal);
        const isMember = reading.kind === 'failed' && question.url !== access.url;
        return isMember ? { kind: 'withdrawn', status: 404 } : reading;
      },
    }),
  }),
  breaks<typeof crawl>('sync/pod/crawl', CONTAINER, {
    'an incomplete listing removes': ({ Crawl }) => ({
      Crawl: class extends Crawl {
        override vanished(documents: Iterable<string>) {
          return [...documents].filter((url) => !this.documents.has(url) && !this.notes.has(url));
        }
      },
    }),
  }),
  breaks<typeof documentRecord>('sync/pod/document-record', CONTAINER, {
    'a member that was edited is not read again': ({ whyRead }) => ({
      whyRead: (member, stored, now) => (stored ? undefined : whyRead(member, stored, now)),
    }),
  }),
  breaks<typeof container>('sync/pod/container', CONTAINER, {
    'members outside of the container are read': () => ({ isBelow: () => true }),
  }),
  breaks<typeof leased>('sync/leased', `${SIMULATION} of clusters breaks no rule`, {
    'a node keeps the leases of sources that it has polled': ({ leased }) => ({
      leased(parts) {
        const take: typeof parts.shared.take = async (source) => {
          const lease = await parts.shared.take(source);
          return lease && { ...lease, release: async () => undefined };
        };
        return leased({ ...parts, shared: { take } });
      },
    }),
  }),
  breaks<typeof feedReader>('sync/peer/feed-reader', `${SIMULATION} brings every change to every reader`, {
    'the digests of a peer are forgotten, so that its changes contradict them and it is read anew': ({
      readFeed,
    }) => ({
      readFeed(polling, ...more) {
        const { feed } = polling.remembered;
        const remembered = { ...polling.remembered, feed: feed && { ...feed, lines: [] } };
        return readFeed({ ...polling, remembered }, ...more);
      },
    }),
  }),
];
