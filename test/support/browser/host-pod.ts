import type { Page } from 'playwright-core';
import type { Pod } from '../pod/pod.js';
import { sharedPod } from '../pod/shared-pod.js';
import { putSampleComponents, putSampleData } from '../sample-components.js';

declare global {
  interface Window {
    /** The fetch of a session: what it asks for, the owner of a pod asks. */
    readonly sessionFetch: (url: string, init?: RequestInit) => Promise<Response>;
  }
}

const WRITERS = '[] a acl:Authorization; acl:agentClass foaf:Agent; acl:mode acl:Read, acl:Write;';

/** For one test file, the pod of host applications: `host/components/` has the samples, everyone writes in `host/shared/`. */
export async function openHostPod(): Promise<Pod> {
  const pod = await sharedPod();
  await putSampleComponents(pod.put, 'host/components/');
  await pod.makePublic('host/components/');
  await putSampleData(pod.put, 'host/shared/');
  await pod.writeRules('host/shared/', WRITERS);
  return pod;
}

/** Gives a page a session of the owner of a pod, as `window.sessionFetch`. Returns what it has been asked for. */
export async function giveSession(page: Page, owner: Pod): Promise<string[]> {
  const asked: string[] = [];
  await page.exposeFunction(
    'askAsOwner',
    async (url: string, method: string, headers: Record<string, string>, body: string | null) => {
      asked.push(`${method} ${url}${headers['if-match'] ? ' if-match' : ''}`);
      const answer = await owner.fetch(url, { method, headers, ...(body === null ? {} : { body }) });
      return { status: answer.status, headers: [...answer.headers], body: await answer.text() };
    },
  );
  await page.evaluate(() => {
    const ask = Reflect.get(window, 'askAsOwner') as (
      ...request: [string, string, Record<string, string>, string | null]
    ) => Promise<{ status: number; headers: [string, string][]; body: string }>;
    const sessionFetch: Window['sessionFetch'] = async (url, init) => {
      const request = new Request(url, init);
      const body = request.body ? await request.text() : null;
      const answer = await ask(url, request.method, Object.fromEntries(request.headers), body);
      const isEmpty = [204, 205, 304].includes(answer.status);
      return new Response(isEmpty ? null : answer.body, { status: answer.status, headers: answer.headers });
    };
    Object.assign(window, { sessionFetch });
  });
  return asked;
}
