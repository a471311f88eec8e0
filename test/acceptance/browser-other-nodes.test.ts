import { beforeAll, describe, expect, test } from 'vitest';
import { offerModule, strangerSite } from '../support/browser/browser-host.js';
import { showOn, visitHostPage } from '../support/browser/browser-host-app.js';
import type { FakeServer } from '../support/fake-server.js';
import {
  type SpecComponent,
  type SpecOnlyNodeOptions,
  specOnlyNode,
} from '../support/peer/spec-only-node.js';
import { type InProcessNode, startInProcess } from './adapters/in-process-node.js';

const PERSON = 'http://xmlns.com/foaf/0.1/Person';

/** It serves `/host.js`, and is asked for nothing else. */
let node: InProcessNode;
/** The site of the host application, and the one with the components and the data. */
let site: FakeServer;
let modules: FakeServer;
let components: SpecComponent[];

beforeAll(async () => {
  node = await startInProcess();
  [site, modules] = [await strangerSite(), await strangerSite()];
  const headers = { 'content-type': 'text/turtle', 'access-control-allow-origin': '*' };
  modules.on('/alice.ttl', {
    headers,
    body: `<> a <${PERSON}>; <http://xmlns.com/foaf/0.1/name> "Alice Ardent".`,
  });
  components = [
    // Earlier in the order of uris than what is looked for, so that an answer without a filter begins with it.
    { uri: modules.url('/a-list.js'), label: 'List', shapes: ['https://schema.org/ItemList'], tag: ['list'] },
    {
      uri: await offerModule(modules, 'profile-card.js'),
      label: 'Card of a person',
      version: '1.4.0',
      latest: true,
      author: ['Ann', 'Bob'],
      tag: ['people', 'card'],
      shapes: [PERSON],
    },
  ];
});

const ALL = ['uri', 'label', 'description', 'version', 'latest', 'author', 'tag', 'shapes'] as const;
const MAKES: readonly (readonly [string, SpecOnlyNodeOptions])[] = [
  ['ignores every constraint but uri', {}],
  ['knows the fields of the specification, and nothing else', { filters: ALL, otherFilters: 'never met' }],
  ['stands behind a proxy, with an address that it does not know', { idBase: 'https://other.example/x/c/' }],
];

describe.each(MAKES)('a node of another make, which %s', (_what, options) => {
  test('finds the component for a piece of data, and it is shown', async () => {
    const other = await specOnlyNode({ ...options, components });
    const { page, complaints } = await visitHostPage(site, node.url);
    await showOn(page, other.url, modules.url('/alice.ttl'));
    await page.getByRole('heading', { name: 'Alice Ardent' }).waitFor();
    // It cannot say what fits, so that the library asks for what knows the shapes.
    expect(complaints).toEqual([expect.stringContaining('404')]);
  });
});
