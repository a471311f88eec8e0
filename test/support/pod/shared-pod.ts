import { inject } from 'vitest';
import type { Exchange } from '../proxy/recording-proxy.js';
import { Pods } from './pods.js';
import type { SharedPodName } from './shared-pod-server.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the shared pod server is asked for; scenario-setup.ts gives it. */
    readonly podServerControl: string;
  }
}

/** A pod of the server that test files share. */
export class SharedPod extends Pods {
  readonly #take: () => Promise<Exchange[]>;

  private constructor(
    readonly url: string,
    take: () => Promise<Exchange[]>,
  ) {
    super();
    this.#take = take;
  }

  /** Starts the server if it does not run yet, which takes seconds. */
  static async open(name: SharedPodName): Promise<SharedPod> {
    const control = inject('podServerControl');
    const { url } = await ask<{ url: string }>(`${control}/start`);
    const pod = new SharedPod(url, () => ask(`${control}/take/${name}`));
    await pod.logIn(name);
    return pod;
  }

  /** The requests for this pod, by whomever, since the last call. */
  take(): Promise<Exchange[]> {
    return this.#take();
  }
}

async function ask<T>(url: string): Promise<T> {
  const response = await fetch(url, { method: 'POST' });
  const text = await response.text();
  if (!response.ok) throw new Error(`the shared pod server answers ${response.status}: ${text}`);
  return JSON.parse(text) as T;
}
