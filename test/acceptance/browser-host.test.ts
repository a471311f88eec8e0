import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ElementInvocation } from '../../src/component/capability.js';
import type { Showable } from '../../src/host/show-component.js';
import { expectAccessible, oneTab } from '../support/browser/browser.js';
import {
  offerModule,
  open,
  showResource,
  strangerSite,
  visitHostPage,
} from '../support/browser/host-page.js';
import { TOP } from '../support/docs.js';
import { type FakeServer, inTurtle } from '../support/fake-server.js';
import { sync } from '../support/node/node-reader.js';
import type { Pod } from '../support/pod/pod.js';
import { sharedPod } from '../support/pod/shared-pod.js';
import { putSampleComponents, putSampleData } from '../support/sample-components.js';
import { type InProcessNode, startInProcess } from './adapters/in-process-node.js';

declare global {
  interface Window {
    /** The fetch of a session: what it asks for, the owner of a pod asks. */
    readonly sessionFetch: (url: string, init?: RequestInit) => Promise<Response>;
  }
}

const FOAF = 'http://xmlns.com/foaf/0.1/';
const PERSON = `${FOAF}Person`;
const ALICE = `<> a <${PERSON}>; <${FOAF}name> "Alice Ardent".`;

let pod: Pod;
let node: InProcessNode;
/** The site of the host application. */
let site: FakeServer;

beforeAll(async () => {
  pod = await openHostPod();
  node = await startInProcess({
    config: { pods: [{ url: `${pod.url}host/components/` }] },
  });
  await sync(node);
  site = await strangerSite();
});

const shared = (name: string) => `${pod.url}host/shared/${name}`;
const inPod = async (name: string) =>
  (await fetch(shared(name), { headers: { accept: 'text/turtle' } })).text();
const inTab = oneTab();
const hostPage = () => visitHostPage(site, node.url, { go: inTab });

test('a list is read, edited, and written back; the pod has it', async () => {
  const { page, complaints } = await hostPage();
  await showResource(page, node.url, shared('groceries.ttl'));
  await page.getByRole('button', { name: 'Remove Milk' }).click();
  await page.getByText('Saved.').waitFor();
  await page.getByRole('textbox', { name: 'New item' }).fill('Tea "green"');
  await page.getByRole('button', { name: 'Add' }).click();
  await page.getByRole('button', { name: 'Remove Tea' }).waitFor();
  await expectAccessible(page);
  const saved = await inPod('groceries.ttl');
  for (const part of [/"Bread"/, /"Tea \\u0022green\\u0022"/, /ItemList/]) expect(saved).toMatch(part);
  expect(saved).not.toMatch(/"Milk"/);
  expect(complaints).toEqual([]);
});

test('quads that are appended at once are all in the pod, blank nodes included', async () => {
  const { page } = await hostPage();
  await page.evaluate(async (uri) => {
    const named = (value: string) => ({ termType: 'NamedNode', value });
    const objects = [
      { termType: 'Literal', value: 'one', language: 'en' },
      { termType: 'Literal', value: 'two "quoted"' },
      { termType: 'BlankNode', value: 'b0' },
      { termType: 'BlankNode', value: 'b0' },
    ];
    const rest = {
      subject: named(uri),
      predicate: named('https://schema.org/text'),
      graph: { termType: 'DefaultGraph', value: '' },
    };
    // Each by a handler of its own, which knows nothing of the others.
    const append = (data: unknown[]) =>
      window.host.solidData()({ action: 'append', uri, type: 'quads', data }, new AbortController().signal);
    await Promise.all(objects.map((object) => append([{ ...rest, object }])));
  }, shared('log.ttl'));
  const saved = await inPod('log.ttl');
  expect(saved).toMatch(/"one"@en/);
  expect(saved).toMatch(/two \\"quoted\\"/);
  expect(saved.match(/_:\w+|\[\s*\]/g)).toHaveLength(2);
});

test('relative URLs are resolved against the page: of modules, entries, requests and resources', async () => {
  const { page, complaints } = await hostPage();
  await offerModule(site, 'profile-card.js');
  site.on('/data/alice.ttl', inTurtle(ALICE));
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
    shapes: [PERSON],
  });
  // A component without the base class sends its entry as it is, and gets its answer.
  await page.getByRole('heading', { name: 'Alice Ardent' }).waitFor();
  expect(complaints).toEqual([]);
});

test('what a component cannot read is told to readers, and a line without data to who wrote the page', async () => {
  const { page, complaints } = await hostPage();
  const seen = await page.evaluate(async (embed) => {
    const { ComponentElement, serveData, solidData } = window.host;
    serveData(document, solidData());
    class Reader extends ComponentElement {
      override async show(entry: string) {
        await this.readData(entry, 'text');
      }
    }
    customElements.define('gone-reader', Reader);
    const reader = new Reader();
    const told = new Promise((resolve) => {
      new MutationObserver(() => resolve(reader.root.textContent)).observe(reader.root, { childList: true });
    });
    reader.setAttribute('entry', 'data/gone.ttl');
    document.body.append(reader);
    const script = Object.assign(document.createElement('script'), { type: 'module', src: embed });
    const ended = new Promise((resolve) => script.addEventListener('load', resolve));
    document.body.append(script);
    await ended;
    return told;
  }, `${node.url}/embed.js`);
  expect(seen).toMatch(/^This cannot be read or saved just now/);
  expect(complaints).toContainEqual(expect.stringContaining('data-entry must name the URL of the data'));
});

/** Every way in which a component can send a request, with every place from which a host can serve it. */
const CASES = ['none', 'open', 'closed']
  .flatMap((root) => ['document', 'window', 'main', 'component'].map((served) => ({ root, served })))
  .flatMap((one) =>
    [true, false].flatMap((bubbles) => ['component', 'inside'].map((at) => ({ ...one, bubbles, at }))),
  )
  .flatMap((one) => [true, false].map((composed) => ({ ...one, composed })))
  // Events that are not composed end at their shadow root (DOM Standard): a host outside does not hear them.
  .filter(
    ({ composed, root, at, served }) =>
      composed || (at === 'component' && (root === 'none' || served === 'component')),
  );

test('a request is answered once, where it came from, however it is sent, and wherever the host listens', async () => {
  const { page, complaints } = await hostPage();
  /** Each request with who was asked for what, and who got the responses. */
  const answered = await page.evaluate(async (cases) => {
    const main = document.querySelector('main') ?? document.body;
    const outcomes = [];
    for (const { bubbles, composed, root, at, served } of cases) {
      // A component, alone or in the shadow root of another element, has an element in its own closed one.
      const made = () => document.createElement('p');
      const [outer, component, inside] = [made(), made(), made()];
      const handled: string[] = [];
      const place = { document, window, main, component }[served] as EventTarget;
      const stop = window.host.serveData(place, async ({ uri }) => handled.push(uri) && 'data');
      main.append(outer);
      (root === 'none' ? outer : outer.attachShadow({ mode: root as ShadowRootMode })).append(component);
      component.attachShadow({ mode: 'closed' }).append(inside);
      const detail = { uri: 'https://pod.example/x', type: 'text' };
      const request = new CustomEvent('component-data-read', { detail, bubbles, composed });
      const responses: string[] = [];
      await new Promise<void>((resolve) => {
        for (const [name, element] of Object.entries({ outer, component, inside }))
          element.addEventListener('component-data-response', (event) => {
            const { cause, data } = (event as CustomEvent<{ cause: Event; data: unknown }>).detail;
            responses.push(`${name} ${data} ${cause === request}`);
            resolve();
          });
        (at === 'component' ? component : inside).dispatchEvent(request);
      });
      outcomes.push({ handled: handled.length, responses });
      stop();
      outer.remove();
    }
    return outcomes;
  }, CASES);
  // What a host outside of a closed root sees is the element that has the root.
  const expected = CASES.map(({ root, served }) => {
    const receiver = root === 'closed' && served !== 'component' ? 'outer' : 'component';
    return { handled: 1, responses: [`${receiver} data true`] };
  });
  expect(answered).toEqual(expected);
  expect(CASES).toHaveLength(60);
  expect(complaints).toEqual([]);
});

const ANN = `@prefix foaf: <${FOAF}>. @prefix v: <http://www.w3.org/2006/vcard/ns#>.
<> a foaf:PersonalProfileDocument; foaf:primaryTopic <#me>.
<#me> a foaf:Person; foaf:name "Ann Arbor"; foaf:age 30;
  v:hasTelephone [ v:value "111"; a v:Home ], [ v:value "222"; v:note "at work" ].
<#cat> foaf:name "Tom".`;

/** Puts a private document into the pod, and has a component edit a part of it, on a page with a session of the owner. */
async function edit(path: string, text: string, component: Showable, { part = '', taken = '' } = {}) {
  await pod.put(path, text, 'text/turtle');
  // A session stays with its page.
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

const DIST = `${TOP}starter/dist/`;
const BERTA = `@prefix vcard: <http://www.w3.org/2006/vcard/ns#>.
<#this> a vcard:Individual; vcard:fn "Berta Busch"; vcard:role "Baker"; vcard:note "kneads";
  <http://example.org/shoe> 42;
  vcard:hasEmail <#mail>; vcard:hasAddress [ vcard:locality "Bonn"; <http://example.org/floor> 3 ].
<#mail> a vcard:Home; vcard:value <mailto:berta@example.org>.
`;

describe('an editor on private data', () => {
  test('takes an edit into what somebody else has written meanwhile, again and again, and says so where it cannot', async () => {
    const path = 'host/editing/bob.ttl';
    const { page, url } = await editAnn(path);
    const save = async (...expected: unknown[]) => {
      await page.getByText('Save').click();
      await expect.poll(() => heard(page)).toEqual(expected);
      return (await stored(url)).join('\n');
    };
    await page.locator('input[name=name]').fill('Anna');
    await pod.put(path, ANN.replace('30', '31').replace('"Tom"', '"Tim"'), 'text/turtle');
    const first = await save(true);
    for (const part of ['"Anna"', '"31"', '"Tim"', '"111"', '"222"']) expect(first).toContain(part);
    expect(first).not.toContain('"Ann Arbor"');
    expect(first.split('\n')).toHaveLength(12);

    // What both have changed is there twice: nobody's words are lost.
    await pod.put(path, ANN.replace('"Ann Arbor"', '"Hers"').replace('"111"', '"333"'), 'text/turtle');
    await page.locator('input[name=name]').fill('His');
    await page.locator('input[name=phone]').first().fill('999');
    const second = await save(true, true);
    for (const part of ['"Hers"', '"His"', '"333"', '"999"', '"222"']) expect(second).toContain(part);
    expect(second.match(/hasTelephone/g)).toHaveLength(2);

    // What somebody else has taken away does not come back; the next edit is saved.
    await page.locator('input[name=phone]').first().fill('111');
    await pod.put(path, ANN.replace(/v:hasTelephone .*\]/s, 'v:note "none"'), 'text/turtle');
    expect(await save(true, true, 'conflict', false)).not.toContain('"111"');
    await page.locator('input[name=phone]').first().fill('999');
    await page.locator('input[name=name]').fill('Last');
    const last = await save(true, true, 'conflict', false, true);
    expect(last).toContain('"Last"');
    expect(last).not.toContain('"His"');
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
});

const WRITERS = '[] a acl:Authorization; acl:agentClass foaf:Agent; acl:mode acl:Read, acl:Write;';

/** For one test file, the pod of host applications: `host/components/` has the samples, everyone writes in `host/shared/`. */
async function openHostPod(): Promise<Pod> {
  const pod = await sharedPod();
  await putSampleComponents(pod.put, 'host/components/');
  await pod.makePublic('host/components/');
  await putSampleData(pod.put, 'host/shared/');
  await pod.writeRules('host/shared/', WRITERS);
  return pod;
}

/** Gives a page a session of the owner of a pod, as `window.sessionFetch`. Returns what it has been asked for. */
async function giveSession(page: Page, owner: Pod): Promise<string[]> {
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
