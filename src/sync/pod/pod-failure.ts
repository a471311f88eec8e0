import type { ReadFailure } from '../../core/reading.js';
import type { Reading } from './pod-request.js';

/** Readings of a pod's own URL that say nothing about what it holds. */
export type RootFailure = Exclude<Reading, { kind: 'whole' | 'unchanged' }>;

/** What happened and what to do, for the operator. What the pod said before is served meanwhile. */
export function podFailure(reading: RootFailure, hasCredentials: boolean): ReadFailure {
  if (reading.kind === 'withdrawn')
    return { message: refusal(reading.status, hasCredentials), permanent: true };
  if (reading.kind === 'unusable') {
    return {
      message: `The pod's URL ${reading.message}. Is it the URL of a container or a document?`,
      permanent: true,
    };
  }
  const { status, message, notBefore } = reading;
  return { message: status === undefined ? message : `The pod ${message}${advice(status)}`, notBefore };
}

function refusal(status: 401 | 403 | 404 | 410, hasCredentials: boolean): string {
  switch (status) {
    case 401:
      return hasCredentials
        ? `The pod answers 401: it does not accept the credentials; check "auth" in this pod's entry`
        : `The pod answers 401, it is private: add "auth" to this pod's entry, or ask its owner to make it public`;
    case 403:
      return 'The pod answers 403: its owner gives this node no access; ask for it, or remove the pod';
    default:
      return `The pod answers ${status}, nothing is there: check its URL, or remove the pod to drop what it brought`;
  }
}

function advice(status: number): string {
  if (status === 429) return ': it asks for fewer requests';
  if (status >= 500) return ': its server has a problem; it is tried again';
  return '';
}
