import type { Page } from 'playwright-core';
import type { FakeServer } from '../fake-server.js';
import type { NodeOptions } from '../node/node-process.js';
import { OPERATOR_TOKEN } from '../node/node-reader.js';
import { SharedPod } from '../pod/shared-pod.js';
import { putSampleComponents, putSampleData } from '../sample-components.js';
import { type Visit, visit } from './browser.js';
import { offerHostPage } from './browser-host.js';

const EVERYONE_WRITES = `@prefix acl: <http://www.w3.org/ns/auth/acl#>. @prefix foaf: <http://xmlns.com/foaf/0.1/>.
[] a acl:Authorization; acl:agentClass foaf:Agent; acl:mode acl:Read, acl:Write, acl:Control; acl:accessTo <./>; acl:default <./>.`;

/** The pod of host applications: `host/components/` has the sample components, everyone writes in `host/shared/`. */
export async function openHostPod(): Promise<SharedPod> {
  const pod = await SharedPod.open('host');
  const put = (path: string, body: string, type: string) => pod.put(path, body, type);
  await putSampleComponents(put, 'host/components/');
  await pod.makePublic('host/components/');
  await putSampleData(put, 'host/shared/');
  await put('host/shared/.acl', EVERYONE_WRITES, 'text/turtle');
  return pod;
}

/** A node that reads the components of that pod when its operator says so. */
export function readingHostPod(pod: SharedPod): NodeOptions {
  return {
    config: { pods: [{ url: `${pod.url}host/components/` }], sync: { schedule: '0 0 1 1 *' } },
    env: { REGISTRY_OPERATOR_TOKEN: OPERATOR_TOKEN },
  };
}

/** A page of the host application, ready to be told what to do. */
export async function visitHostPage(site: FakeServer, nodeUrl: string): Promise<Visit> {
  const visited = await visit(offerHostPage(site, nodeUrl));
  await visited.page.waitForFunction(() => window.host !== undefined);
  return visited;
}

/** Has the page find, load and feed a component for a resource. */
export function showOn(page: Page, nodeUrl: string, resource: string): Promise<void> {
  return page.evaluate(
    async ([resource, nodes]) => {
      const { RegistryClient, loadComponent, serveData, solidData } = window.host;
      const [component] = await new RegistryClient({ nodes }).componentsFor(resource);
      if (!component) throw new Error('no component found');
      serveData(document, solidData());
      const element = document.createElement(await loadComponent(component));
      element.setAttribute('entry', resource);
      document.querySelector('main')?.append(element);
    },
    [resource, [nodeUrl]] as const,
  );
}

/** Has the clocks of a page and its frames go forward until something is done that waits for seconds there. */
export async function hurried<T>(page: Page, task: () => Promise<T>): Promise<T> {
  await page.clock.install();
  let isDone = false;
  const done = task().finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await page.clock.fastForward(1_000);
    await Promise.race([done.catch(() => undefined), new Promise((resolve) => setTimeout(resolve, 50))]);
  }
  return done;
}
