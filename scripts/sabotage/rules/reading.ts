/** What a poll makes of a source: absence is never failure. */
import { nothingDescribed } from '../../../src/component/reading/described.js';
import { type Broken, breaks } from '../rule.js';

export const READING: Broken = {
  'test/sync/pod/pod-contract.test.ts': breaks<typeof import('../../../src/sync/pod/pod-request.js')>(
    'sync/pod/pod-request',
    {
      "a 404 of a pod's own URL is taken for a deletion": ({ createPodRequest }) => ({
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
    },
  ),
  'test/sync/pod/pod-failing-members.test.ts': breaks<typeof import('../../../src/sync/pod/pod-request.js')>(
    'sync/pod/pod-request',
    {
      'a time-out is taken for absence': ({ createPodRequest }) => ({
        createPodRequest: (access) => {
          const request = createPodRequest(access);
          return async (question, signal) => {
            const reading = await request(question, signal);
            const isMember = reading.kind === 'failed' && question.url !== access.url;
            return isMember ? { kind: 'withdrawn', status: 404 } : reading;
          };
        },
      }),
    },
  ),
  'test/sync/pod/pod-container.test.ts': [
    breaks<typeof import('../../../src/sync/pod/crawl.js')>('sync/pod/crawl', {
      'an incomplete listing removes': (original) => ({
        Crawl: class extends original.Crawl {
          override vanished(documents: Iterable<string>) {
            return [...documents].filter((url) => !this.documents.has(url) && !this.notes.has(url));
          }
        },
      }),
    }),
    breaks<typeof import('../../../src/sync/pod/document-record.js')>('sync/pod/document-record', {
      'a member that was edited is not read again': ({ whyRead }) => ({
        whyRead: (member, stored, now) => (stored ? undefined : whyRead(member, stored, now)),
      }),
    }),
    breaks<typeof import('../../../src/sync/pod/container.js')>('sync/pod/container', {
      'members outside of the container are read': () => ({ isBelow: () => true }),
    }),
  ],
};
