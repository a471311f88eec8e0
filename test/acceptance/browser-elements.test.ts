import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import type { Showable } from '../../src/host/show-component.js';
import { strangerSite } from '../support/browser/browser-host.js';
import { openHostPod, visitHostPage } from '../support/browser/browser-host-app.js';
import { giveSession } from '../support/browser/browser-session.js';
import { TOP } from '../support/docs.js';
import type { FakeServer } from '../support/fake-server.js';
import type { SharedPod } from '../support/pod/shared-pod.js';
import { type InProcessNode, startInProcess } from './adapters/in-process-node.js';

// Elements that others have written, as the starter set describes them, with private data of a real pod.

const DIST = `${TOP}starter/dist/`;
const BERTA = `@prefix vcard: <http://www.w3.org/2006/vcard/ns#>.
<#this> a vcard:Individual; vcard:fn "Berta Busch"; vcard:role "Baker"; vcard:note "kneads";
  <http://example.org/shoe> 42;
  vcard:hasEmail <#mail>; vcard:hasAddress [ vcard:locality "Bonn"; <http://example.org/floor> 3 ].
<#mail> a vcard:Home; vcard:value <mailto:berta@example.org>.
`;

let node: InProcessNode;
let site: FakeServer;
let pod: SharedPod;
let components: readonly Showable[];

beforeAll(async () => {
  [node, pod] = await Promise.all([startInProcess(), openHostPod()]);
  site = await strangerSite();
  const set = readFileSync(`${DIST}index.json`, 'utf8').replaceAll('"starter:', `"${site.url('/')}`);
  const { components: all, files } = JSON.parse(set) as {
    components: readonly Showable[];
    files: Record<string, { mediaType: string }>;
  };
  components = all;
  for (const [path, { mediaType }] of Object.entries(files)) {
    const headers = { 'content-type': mediaType, 'access-control-allow-origin': '*' };
    site.on(`/${path}`, { headers, body: readFileSync(DIST + path) });
  }
});

/** A page with a session of the owner, on which the component of the set for contacts edits a private document of the pod. */
async function editContact(path: string) {
  await pod.put(path, BERTA, 'text/turtle');
  const { page } = await visitHostPage(site, node.url);
  const asked = await giveSession(page, pod.owner('host'));
  const url = `${pod.url}${path}`;
  const component = components.find(({ label }) => label === 'Contact');
  if (!component) throw new Error('the set has no form for contacts');
  await page.evaluate(
    async ([component, entry]) => {
      const into = document.querySelector('main') ?? document.body;
      const { element } = await window.host.showComponent(component, entry, {
        ...{ into, fetch: window.sessionFetch, action: 'odrl:modify' },
      });
      element.addEventListener('component-data-response', (event) => {
        const { success } = (event as CustomEvent<{ success: boolean }>).detail;
        element.setAttribute('data-success', String(success));
      });
    },
    [component, `${url}#this`] as const,
  );
  return { page, asked, url };
}

async function stored(url: string): Promise<string> {
  const answer = await pod.owner('host').fetch(url, { headers: { accept: 'application/n-triples' } });
  return answer.text();
}

test('shacl-form edits a person: what its shape does not know is kept', async () => {
  const { page, asked, url } = await editContact('host/elements/edit.ttl');
  const before = (await stored(url)).trim().split('\n').length;
  const role = page.locator('shacl-form').getByLabel('Role');
  await role.fill('Confectioner');
  await page.locator('shacl-form').getByRole('button', { name: 'Save' }).click();
  await page.locator('shacl-form[data-success=true]').waitFor();
  const after = await stored(url);
  for (const text of [
    'Confectioner',
    'Berta Busch',
    '"42"',
    '"3"',
    'Bonn',
    'mailto:berta@example.org',
    'kneads',
  ]) {
    expect(after).toContain(text);
  }
  expect(after).not.toContain('Baker');
  expect(after.trim().split('\n')).toHaveLength(before);
  expect(asked.filter((line) => line.startsWith('PUT'))).toEqual([`PUT ${url} if-match`]);
});
