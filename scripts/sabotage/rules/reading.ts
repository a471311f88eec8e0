/** What a poll makes of a source: absence is never failure. */
import { breaks, type Rule } from '../rule.js';

export const READING: readonly Rule[] = [
  breaks<typeof import('../../../src/sync/pod/pod-request.js')>({
    name: "a 404 of a pod's own URL is taken for a deletion",
    module: 'sync/pod/pod-request',
    broken: ({ createPodRequest }) => ({
      createPodRequest: (access) => {
        const request = createPodRequest(access);
        return async (url, validators, signal) => {
          const reading = await request(url, validators, signal);
          if (reading.kind !== 'withdrawn' || url !== access.url) return reading;
          // As if there were an empty container.
          const text = new TextEncoder().encode(`<> a <http://www.w3.org/ns/ldp#Container> .`);
          const mediaType = 'text/turtle';
          return {
            kind: 'whole',
            url,
            mediaType,
            text,
            container: true,
            date: Date.now(),
          };
        };
      },
    }),
    suite: 'test/sync/pod/pod-contract.test.ts',
  }),
  breaks<typeof import('../../../src/sync/pod/pod-request.js')>({
    name: 'a time-out is taken for absence',
    module: 'sync/pod/pod-request',
    broken: ({ createPodRequest }) => ({
      createPodRequest: (access) => {
        const request = createPodRequest(access);
        return async (url, validators, signal) => {
          const reading = await request(url, validators, signal);
          const isMember = reading.kind === 'failed' && url !== access.url;
          return isMember ? { kind: 'withdrawn', status: 404 } : reading;
        };
      },
    }),
    suite: 'test/sync/pod/pod-failing-members.test.ts',
  }),
  breaks<typeof import('../../../src/sync/pod/crawl.js')>({
    name: 'an incomplete listing removes',
    module: 'sync/pod/crawl',
    broken: ({ crawl }) => ({
      crawl: async (...asked) => ({ ...(await crawl(...asked)), unknown: [] }),
    }),
    suite: 'test/sync/pod/pod-container.test.ts',
    tests: 'drops nothing below a listing',
  }),
  breaks<typeof import('../../../src/sync/pod/document-record.js')>({
    name: 'a member that was edited is not read again',
    module: 'sync/pod/document-record',
    broken: ({ whyRead }) => ({
      whyRead: (member, stored, now) => (stored ? undefined : whyRead(member, stored, now)),
    }),
    suite: 'test/sync/pod/pod-container.test.ts',
  }),
  breaks<typeof import('../../../src/sync/pod/container.js')>({
    name: 'members outside of the container are read',
    module: 'sync/pod/container',
    broken: () => ({ isBelow: () => true }),
    suite: 'test/sync/pod/pod-container.test.ts',
  }),
];
