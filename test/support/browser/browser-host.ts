import type { ComponentElement } from '../../../src/host/component-element.js';
import type { loadComponent } from '../../../src/host/load-component.js';
import type { RegistryClient } from '../../../src/host/registry-client.js';
import type { serveData } from '../../../src/host/serve-data.js';
import type { shapesOf } from '../../../src/host/shapes.js';
import type { showComponent } from '../../../src/host/show-component.js';
import type { showResource } from '../../../src/host/show-resource.js';
import type { solidData } from '../../../src/host/solid-data.js';
import { cleanup } from '../cleanup.js';
import { type FakeServer, fakeServer } from '../fake-server.js';
import { componentFile } from '../sample-components.js';

/** What `/host.js` exports, as far as tests use it: host pages here keep it as `window.host`. */
interface HostLibrary {
  readonly ComponentElement: typeof ComponentElement;
  readonly loadComponent: typeof loadComponent;
  readonly RegistryClient: typeof RegistryClient;
  readonly serveData: typeof serveData;
  readonly shapesOf: typeof shapesOf;
  readonly showComponent: typeof showComponent;
  readonly showResource: typeof showResource;
  readonly solidData: typeof solidData;
}

declare global {
  interface Window {
    readonly host: HostLibrary;
  }
}

/** A site that is neither the node's nor the pod's: it has the pages of host applications, and modules. */
export async function strangerSite(): Promise<FakeServer> {
  const site = await fakeServer();
  cleanup(() => site.close());
  return site.on('/favicon.ico', { status: 204 });
}

/** Puts a page at `/` that offers the host library of a node to the test. */
export function offerHostPage(site: FakeServer, nodeUrl: string): string {
  return page(
    site,
    '/',
    `<!doctype html><html lang="en"><title>Host</title><main><h1>Host</h1></main>
<script type="module">import * as host from '${nodeUrl}/host.js'; window.host = host;</script>`,
  );
}

/** Puts a page on the site. */
export function page(site: FakeServer, path: string, html: string): string {
  site.on(path, { headers: { 'content-type': 'text/html' }, body: html });
  return site.url(path);
}

/** Serves a module of test/fixtures/components to pages of any site; returns its URL. */
export async function offerModule(
  site: FakeServer,
  file: string,
  headers: Record<string, string> = {},
): Promise<string> {
  const all = { 'content-type': 'text/javascript', 'access-control-allow-origin': '*', ...headers };
  site.on(`/${file}`, { headers: all, body: await componentFile(file) });
  return site.url(`/${file}`);
}
