import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import type { ElementInvocation } from '../../src/component/capability.js';
import type { Showable } from '../../src/host/show-component.js';
import { offerModule, open, strangerSite, visitHostPage } from '../support/browser/host-page.js';
import { giveSession } from '../support/browser/host-pod.js';
import { TOP } from '../support/docs.js';
import type { FakeServer } from '../support/fake-server.js';
import type { Pod } from '../support/pod/pod.js';
import { sharedPod } from '../support/pod/shared-pod.js';
import { type InProcessNode, startInProcess } from './adapters/in-process-node.js';

const FOAF = 'http://xmlns.com/foaf/0.1/';
const ANN = `@prefix foaf: <${FOAF}>. @prefix v: <http://www.w3.org/2006/vcard/ns#>.
<> a foaf:PersonalProfileDocument; foaf:primaryTopic <#me>.
<#me> a foaf:Person; foaf:name "Ann Arbor"; foaf:age 30;
  v:hasTelephone [ v:value "111"; a v:Home ], [ v:value "222"; v:note "at work" ].
<#cat> foaf:name "Tom".`;

let node: InProcessNode;
let site: FakeServer;
let pod: Pod;

beforeAll(async () => {
  [node, pod] = await Promise.all([startInProcess(), sharedPod()]);
  site = await strangerSite();
});

/** Puts a private document into the pod, and has a component edit a part of it, on a page with a session of the owner. */
async function edit(path: string, text: string, component: Showable, { part = '', taken = '' } = {}) {
  await pod.put(path, text, 'text/turtle');
  const { page } = await visitHostPage(site, node.url);
  const asked = await giveSession(page, pod);
  const url = `${pod.url}${path}`;
  await page.evaluate(
    async ([component, entry, taken]) => {
      if (taken) customElements.define(taken, class extends HTMLElement {});
      const into = document.querySelector('main') ?? document.body;
      const heard: unknown[] = [];
      const report = (error: unknown) => heard.push((error as { reason?: string }).reason);
      const { element } = await window.host.showComponent(component, entry, {
        ...{ into, report, action: 'odrl:modify', fetch: window.sessionFetch },
      });
      element.addEventListener('component-data-response', (event) => {
        const { success } = (event as CustomEvent<{ success: boolean }>).detail;
        heard.push(success);
      });
      Object.assign(window, { heard });
    },
    [component, url + part, taken] as const,
  );
  return { page, asked, url };
}

/** The same with an element that edits a name and telephone numbers. */
async function editAnn(path: string, taken = '') {
  const invocation: ElementInvocation = {
    type: 'ElementInvocation',
    element: 'name-editor',
    mapping: [
      { variable: 'data-values', property: 'data' },
      { variable: 'data-subject', property: 'subject' },
    ],
    write: { event: 'done', method: 'serialize' },
  };
  const uri = await offerModule(site, 'elements/name-editor.js');
  const capability = [{ action: 'odrl:modify', invocation: [invocation] }];
  return edit(path, ANN, { uri, tag: [], capability }, { taken });
}

const heard = (page: Page) => page.evaluate(() => Reflect.get(window, 'heard') as unknown[]);
const stored = async (url: string) =>
  (await (await pod.fetch(url, { headers: { accept: 'application/n-triples' } })).text()).trim().split('\n');

test('takes the edit into what somebody else has written meanwhile, again and again', async () => {
  const path = 'host/editing/bob.ttl';
  const { page, url } = await editAnn(path);
  const save = async (times: number) => {
    await page.getByText('Save').click();
    await expect.poll(() => heard(page)).toEqual(Array(times).fill(true));
    return (await stored(url)).join('\n');
  };
  await page.locator('input[name=name]').fill('Anna');
  await pod.put(path, ANN.replace('30', '31').replace('"Tom"', '"Tim"'), 'text/turtle');
  const first = await save(1);
  for (const part of ['"Anna"', '"31"', '"Tim"', '"111"', '"222"']) expect(first).toContain(part);
  expect(first).not.toContain('"Ann Arbor"');
  expect(first.split('\n')).toHaveLength(12);

  // What both have changed is there twice: nobody's words are lost.
  await pod.put(path, ANN.replace('"Ann Arbor"', '"Hers"').replace('"111"', '"333"'), 'text/turtle');
  await page.locator('input[name=name]').fill('His');
  await page.locator('input[name=phone]').first().fill('999');
  const second = await save(2);
  for (const part of ['"Hers"', '"His"', '"333"', '"999"', '"222"']) expect(second).toContain(part);
  expect(second.match(/hasTelephone/g)).toHaveLength(2);

  await page.locator('input[name=name]').fill('Last');
  const last = await save(3);
  expect(last).toContain('"Last"');
  expect(last).not.toContain('"His"');
});

test('does not bring back what somebody else has taken away, and says so; the next edit is saved', async () => {
  const path = 'host/editing/gone.ttl';
  const { page, url } = await editAnn(path);
  await page.locator('input[name=phone]').first().fill('999');
  await pod.put(path, ANN.replace(/v:hasTelephone .*\]/s, 'v:note "none"'), 'text/turtle');
  await page.getByText('Save').click();
  await expect.poll(() => heard(page)).toEqual(['conflict', false]);
  expect((await stored(url)).join('\n')).not.toContain('"999"');
  await page.locator('input[name=phone]').first().fill('111');
  await page.locator('input[name=name]').fill('Anna');
  await page.getByText('Save').click();
  await expect.poll(() => heard(page)).toEqual(['conflict', false, true]);
  expect((await stored(url)).join('\n')).toContain('"Anna"');
});

test('does so from a frame, which never sees the session', async () => {
  const { page, asked, url } = await editAnn('host/editing/frame.ttl', 'name-editor');
  const frame = page.frameLocator('iframe');
  await frame.locator('input[name=name]').fill('Anna Arbor');
  await frame.getByText('Save').click();
  await expect.poll(() => heard(page)).toEqual([true]);
  expect((await stored(url)).join('\n')).toMatch(/"Anna Arbor"/);
  expect(asked.slice(0, 2)).toEqual([`GET ${url}`, `PUT ${url} if-match`]);
});

const DIST = `${TOP}starter/dist/`;
const BERTA = `@prefix vcard: <http://www.w3.org/2006/vcard/ns#>.
<#this> a vcard:Individual; vcard:fn "Berta Busch"; vcard:role "Baker"; vcard:note "kneads";
  <http://example.org/shoe> 42;
  vcard:hasEmail <#mail>; vcard:hasAddress [ vcard:locality "Bonn"; <http://example.org/floor> 3 ].
<#mail> a vcard:Home; vcard:value <mailto:berta@example.org>.
`;

test('shacl-form, as the starter set describes it, edits a person: what its shape does not know is kept', async () => {
  const set = readFileSync(`${DIST}index.json`, 'utf8').replaceAll('"starter:', `"${site.url('/')}`);
  const { components, files } = JSON.parse(set) as {
    components: readonly Showable[];
    files: Record<string, { mediaType: string }>;
  };
  for (const [path, { mediaType }] of Object.entries(files))
    site.on(`/${path}`, open(mediaType, readFileSync(DIST + path)));
  const form = components.find(({ label }) => label === 'Contact');
  if (!form) throw new Error('the set has no form for contacts');
  const { page, asked, url } = await edit('host/elements/edit.ttl', BERTA, form, { part: '#this' });
  const before = await stored(url);
  await page.locator('shacl-form').getByLabel('Role').fill('Confectioner');
  await page.locator('shacl-form').getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => heard(page)).toEqual([true]);
  const after = await stored(url);
  expect(after).toHaveLength(before.length);
  const kept = ['Berta Busch', '"42"', '"3"', 'Bonn', 'mailto:berta@example.org', 'kneads'];
  for (const text of ['Confectioner', ...kept]) expect(after.join('\n')).toContain(text);
  expect(after.join('\n')).not.toContain('Baker');
  expect(asked.filter((line) => line.startsWith('PUT'))).toEqual([`PUT ${url} if-match`]);
});
