/** What a poll makes of a source: absence is never failure. */
import { nothingDescribed } from '../../../src/component/reading/described.js';
import type * as container from '../../../src/sync/pod/container.js';
import type * as crawl from '../../../src/sync/pod/crawl.js';
import type * as documentRecord from '../../../src/sync/pod/document-record.js';
import type * as podRequest from '../../../src/sync/pod/pod-request.js';
import { breaks } from '../rule.js';

const CONTAINER = 'test/sync/pod/pod-container.test.ts';

export const READING = [
  breaks<typeof podRequest>('sync/pod/pod-request', 'test/sync/pod/pod-contract.test.ts', {
    "a 404 of a pod's own URL is taken for a deletion": ({ createPodRequest }) => ({
      createPodRequest: (access) => async (question, signal) => {
        const reading = await createPodRequest(access)(question, signal);
        const { url } = question;
        if (reading.kind !== 'withdrawn' || url !== access.url) return reading;
        const empty = { isContainer: true, members: [] };
        return { kind: 'content', url, date: Date.now(), ...nothingDescribed(), ...empty };
      },
    }),
  }),
  breaks<typeof podRequest>('sync/pod/pod-request', 'test/sync/pod/pod-failing-members.test.ts', {
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
];
