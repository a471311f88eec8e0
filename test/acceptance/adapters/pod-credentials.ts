import { systemClock } from '../../../src/lib/clock.js';
import { createGuardedFetch } from '../../../src/lib/fetch/guarded-fetch.js';
import { createPodCredentials } from '../../../src/lib/fetch/solid-oidc.js';

const fetch = createGuardedFetch({ userAgent: 'test', allowPrivate: true, maxBytes: 1e6, timeoutMs: 20_000 });

/** What signs the requests of a pod's owner, as the node signs its own. */
export function podCredentials(credentials: {
  readonly id: string;
  readonly secret: string;
  readonly issuer: string;
}) {
  return createPodCredentials({ ...credentials, fetch, trust: 'configured', clock: systemClock });
}
