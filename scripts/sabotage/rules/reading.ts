/** What a poll makes of a source: absence is never failure. */
import { nothingDescribed } from '../../../src/component/reading/described.js';
import { breaks, type Rule } from '../rule.js';

export const READING: readonly Rule[] = [
  breaks<typeof import('../../../src/sync/pod/pod-request.js')>({
    name: "a 404 of a pod's own URL is taken for a deletion",
    module: 'sync/pod/pod-request',
    broken: ({ createPodRequest }) => ({
      createPodRequest: (access) => {
        const request = createPodRequest(access);
        return async (question, signal) => {
          const reading = await request(question, signal);
          const { url } = question;
          if (reading.kind !== 'withdrawn' || url !== access.url) return reading;
          const empty = { isContainer: true, members: [] };
          return { kind: 'content', url, date: Date.now(), ...nothingDescribed(), ...empty };
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
        return async (question, signal) => {
          const reading = await request(question, signal);
          const isMember = reading.kind === 'failed' && question.url !== access.url;
          return isMember ? { kind: 'withdrawn', status: 404 } : reading;
        };
      },
    }),
    suite: 'test/sync/pod/pod-failing-members.test.ts',
  }),
  breaks<typeof import('../../../src/sync/pod/crawl.js')>({
    name: 'an incomplete listing removes',
    module: 'sync/pod/crawl',
    broken: (original) => ({
      Crawl: class extends original.Crawl {
        override get unknown() {
          return [];
        }
      },
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
