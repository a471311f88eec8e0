import { createHash } from 'node:crypto';
import type { Page } from 'playwright-core';
import type * as Host from '../../../src/host/host.js';
import type { Loadable, LoadOptions } from '../../../src/host/module-load.js';
import type { Showable, ShowOptions } from '../../../src/host/show-component.js';
import { type FakeAnswer, type FakeServer, fakeServer } from '../fake-server.js';
import { componentFile } from '../sample-components.js';
import { type Visit, visit } from './browser.js';

declare global {
  interface Window {
    /** What `/host.js` exports: host pages here keep it. */
    readonly host: typeof Host;
  }
}

/** A site that is neither the node's nor the pod's: it has the pages of host applications, data and modules. */
export async function strangerSite(): Promise<FakeServer> {
  return (await fakeServer()).on('/favicon.ico', { status: 204 });
}

export const TURTLE = 'text/turtle';
const SCRIPT = 'text/javascript';

/** What pages of any site may read. */
export const open = (type: string, body: string | Buffer, more: FakeAnswer = {}): FakeAnswer => ({
  ...more,
  headers: { 'content-type': type, 'access-control-allow-origin': '*', ...more.headers },
  body,
});

/** Serves a document in Turtle to pages of any site, to simple requests alone: reading must need no preflight. Gives its URL. */
export function offerData(site: FakeServer, path: string, turtle: string): string {
  site.on(`GET ${path}`, open(TURTLE, turtle));
  return site.url(path);
}

/** Serves a script to pages of any site. */
export function offerScript(site: FakeServer, path: string, text: string, more: FakeAnswer = {}): string {
  site.on(path, open(SCRIPT, text, more));
  return site.url(path);
}

/** Serves a module of test/fixtures/components in the same way. */
export async function offerModule(site: FakeServer, file: string, more: FakeAnswer = {}): Promise<string> {
  return offerScript(site, `/${file}`, await componentFile(file), more);
}

/** Puts a page on the site. */
export function page(site: FakeServer, path: string, html: string): string {
  site.on(path, { headers: { 'content-type': 'text/html' }, body: html });
  return site.url(path);
}

/** A page of a host application, which offers the host library of a node to the test; `go` may be that of `oneTab`. */
export async function visitHostPage(
  site: FakeServer,
  nodeUrl: string,
  { more = '', go = visit }: { more?: string; go?: (url: string) => Promise<Visit> } = {},
): Promise<Visit> {
  const html = `<!doctype html><html lang="en"><title>Host</title>${more}<header><h1>Host</h1></header><main></main>
<script type="module" nonce="x">import * as host from '${nodeUrl}/host.js'; window.host = host;</script>`;
  const visited = await go(page(site, '/', html));
  await visited.page.waitForFunction(() => window.host !== undefined);
  return visited;
}

/** A promise about bytes. */
export const hash = (text: string) => `sha384-${createHash('sha384').update(text).digest('base64')}`;

/** Loads a component, and shows it. Gives the tag name, or the reason and the message of what went wrong. */
export function load(page: Page, component: Partial<Loadable>, options: LoadOptions = {}): Promise<string> {
  return page.evaluate(
    async ([component, options]) => {
      try {
        const name = await window.host.loadComponent({ uri: '', tag: ['x'], ...component }, options);
        document.body.append(document.createElement(name));
        return name;
      } catch (error) {
        const { reason, message } = error as { reason: string; message: string };
        return `${reason}: ${message}`;
      }
    },
    [component, options] as const,
  );
}

/** Shows a component in a place of its own. Gives the name of the element, or what went wrong as `load` does. */
export function show(
  page: Page,
  component: Showable,
  entry: string,
  options: Omit<ShowOptions, 'into'> = {},
): Promise<string> {
  return page.evaluate(
    async ([component, entry, options]) => {
      const into = document.createElement('section');
      document.querySelector('main')?.append(into);
      try {
        return (await window.host.showComponent(component, entry, { into, ...options })).element.localName;
      } catch (error) {
        const { reason, message } = error as { reason: string; message: string };
        return `${reason}: ${message}`;
      }
    },
    [component, entry, options] as const,
  );
}

/** Has the page find, load and feed what shows a resource. Gives the component, the element and what else opens it. */
export function showResource(page: Page, nodeUrl: string, resource: string) {
  return page.evaluate(
    async ([resource, registry]) => {
      const into = document.querySelector('main') ?? document.body;
      const shown = await window.host.showResource(resource, { registry: [registry], into });
      Object.assign(window, { shown });
      return shown && { uri: shown.component.uri, is: shown.element.localName, openWith: shown.openWith };
    },
    [resource, nodeUrl] as const,
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
