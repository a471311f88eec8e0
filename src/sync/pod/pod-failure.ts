import type { ReadFailure } from '../../core/reading.js';
import type { Reading } from './pod-request.js';

/** Readings of a pod's own URL that say nothing about what it holds. */
type RootFailure = Exclude<Reading, { kind: 'whole' | 'unchanged' }>;

const GONE = ', nothing is there: check its URL, or remove the pod to drop what it brought';
const WITHDRAWN = {
  401: `, it is private: add "auth" to this pod's entry, or ask its owner to make it public`,
  403: ': its owner gives this node no access; ask for it, or remove the pod',
  404: GONE,
  410: GONE,
} as const;
const CREDENTIALS_REFUSED = `: it does not accept the credentials; check "auth" in this pod's entry`;

/** What happened and what to do, for the operator. What the pod said before is served meanwhile. */
export function podFailure(reading: RootFailure, hasCredentials: boolean): ReadFailure {
  if (reading.kind === 'withdrawn') {
    const { status } = reading;
    const advice = status === 401 && hasCredentials ? CREDENTIALS_REFUSED : WITHDRAWN[status];
    return { message: `The pod answers ${status}${advice}`, permanent: true };
  }
  if (reading.kind === 'unusable') {
    const question = 'Is it the URL of a container or a document?';
    return { message: `The pod's URL ${reading.message}. ${question}`, permanent: true };
  }
  const { message, status = 0, notBefore } = reading;
  if (status === 0) return { message };
  const advice = status >= 500 ? ': its server has a problem; it is tried again' : '';
  return { message: `The pod ${message}${advice}`, notBefore };
}

/** Requests in a row without any answer, after which a server counts as gone. */
const SILENT_REQUESTS = 5;

/** Decides, in the middle of a poll, that it is better to stop for now: a slow pod must not block the others. */
export class ServerTrouble {
  readonly #signal: AbortSignal;
  #silent = 0;
  #failure: ReadFailure | undefined;

  /** @param signal aborted when the time of the poll is over */
  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Why to stop, once there is a reason. */
  get failure(): ReadFailure | undefined {
    if (this.#failure || !this.#signal.aborted) return this.#failure;
    return { message: 'The pod is so slow that the poll was cut short; the next one goes on from here' };
  }

  /** Counts an answer, or that there was none. */
  record(reading: Reading): void {
    const failed = reading.kind === 'failed' && !this.#signal.aborted ? reading : undefined;
    this.#silent = failed && failed.status === undefined ? this.#silent + 1 : 0;
    if (failed?.status === 429) {
      const message = 'The pod asks for fewer requests (429); the next poll goes on from here';
      this.#failure ??= { message, notBefore: failed.notBefore };
    } else if (failed && this.#silent >= SILENT_REQUESTS) {
      this.#failure ??= { message: `The pod stopped answering: ${failed.message}` };
    }
  }
}
