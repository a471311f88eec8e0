import { beforeAll, expect, test } from 'vitest';
import { offerModule, strangerSite } from '../support/browser/browser-host.js';
import { visitHostPage } from '../support/browser/browser-host-app.js';
import type { FakeServer } from '../support/fake-server.js';
import { type InProcessNode, startInProcess } from './adapters/in-process-node.js';

const FOAF = 'http://xmlns.com/foaf/0.1/';

/** It serves `/host.js` and the modules that this imports. */
let node: InProcessNode;
/** The site of the host application, which has its data, too, and another one. */
let site: FakeServer;
let elsewhere: FakeServer;

beforeAll(async () => {
  node = await startInProcess();
  [site, elsewhere] = [await strangerSite(), await strangerSite()];
  site.on('/data/alice.ttl', {
    headers: { 'content-type': 'text/turtle' },
    body: `<> a <${FOAF}Person>; <${FOAF}name> "Alice Ardent".`,
  });
  const context = elsewhere.url('/context');
  site.on('/data/bob.jsonld', {
    headers: { 'content-type': 'application/ld+json' },
    body: JSON.stringify({ '@context': context, '@id': '', '@type': 'Person', name: 'Bob Bold' }),
  });
  elsewhere.on('/context', {
    headers: { 'content-type': 'application/ld+json', 'access-control-allow-origin': '*' },
    body: JSON.stringify({ '@context': { '@vocab': FOAF } }),
  });
});

test('relative URLs are resolved against the page: of modules, entries, requests and resources', async () => {
  const { page, complaints } = await visitHostPage(site, node.url);
  await offerModule(site, 'profile-card.js');
  const seen = await page.evaluate(async () => {
    const { ComponentElement, loadComponent, serveData, shapesOf, solidData } = window.host;
    serveData(document, solidData());
    const card = document.createElement(await loadComponent({ uri: 'profile-card.js', tag: ['card'] }));
    card.setAttribute('entry', './data/alice.ttl');
    document.body.append(card);
    class Reader extends ComponentElement {}
    customElements.define('entry-reader', Reader);
    const reader = new Reader();
    reader.setAttribute('entry', 'data/alice.ttl#me');
    document.body.append(reader);
    return {
      entry: reader.entry,
      text: await reader.readData('./data/alice.ttl', 'text'),
      shapes: await shapesOf('data/alice.ttl'),
    };
  });
  expect(seen).toEqual({
    entry: site.url('/data/alice.ttl#me'),
    text: expect.stringContaining('Alice Ardent'),
    shapes: [`${FOAF}Person`],
  });
  // A component without the base class sends its entry as it is, and gets its answer.
  await page.getByRole('heading', { name: 'Somebody' }).waitFor();
  expect(complaints).toEqual([]);
});
