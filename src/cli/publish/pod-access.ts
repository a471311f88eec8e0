import { podLogin } from '../../config.js';
import { systemClock } from '../../lib/clock.js';
import type { Credentials } from '../../lib/fetch/authorized-fetch.js';
import type { GuardedFetch } from '../../lib/fetch/guarded-fetch.js';
import { signIn } from '../../lib/fetch/sign-in.js';
import { createPodCredentials } from '../../lib/fetch/solid-oidc.js';
import type { Terminal } from '../runnable-verb.js';
import type { PodTargetParts } from './pod-target.js';

/** How long somebody has for signing in, in ms. */
const PATIENCE_MS = 5 * 60_000;

/**
 * The right to write to a pod: client credentials of the environment, else a sign-in in the browser, once.
 * @param issuer of the pod's owner; the pod's own server when absent
 */
export function podAccess(
  url: string,
  issuer: string | undefined,
  fetch: GuardedFetch,
  terminal: Terminal,
): PodTargetParts {
  const login = podLogin();
  const at = { issuer: issuer ?? new URL(url).origin, fetch, clock: systemClock };
  let asked: Promise<Credentials> | undefined;
  const ask = (): Promise<Credentials> => {
    if (login) return Promise.resolve(createPodCredentials({ ...at, ...login, trust: 'configured' }));
    if (!process.stdin.isTTY)
      throw new Error(
        `to write to ${url}, set POD_CLIENT_ID and POD_CLIENT_SECRET to client credentials of your pod, or run this in a terminal to sign in`,
      );
    const show = (page: string) => terminal.note(`Sign in at your pod:\n  ${page}`);
    const interrupted = terminal.interrupted();
    return inTime((over) => {
      const signal = AbortSignal.any([interrupted, over]);
      return signIn({ ...at, name: 'component-registry-node publish', show, signal });
    });
  };
  const credentials = async () => {
    asked ??= ask();
    return asked;
  };
  return { fetch, credentials, ready: login !== undefined };
}

async function inTime<T>(work: (over: AbortSignal) => Promise<T>): Promise<T> {
  const over = new AbortController();
  const patience = systemClock.sleep(PATIENCE_MS, over.signal).then(() => {
    throw new Error('nobody signed in within 5 minutes');
  });
  try {
    return await Promise.race([work(over.signal), patience]);
  } finally {
    over.abort();
  }
}
