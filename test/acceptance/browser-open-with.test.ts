import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Capability } from '../../src/component/capability.js';
import { offerModule, strangerSite } from '../support/browser/browser-host.js';
import { visitHostPage } from '../support/browser/browser-host-app.js';
import type { FakeServer } from '../support/fake-server.js';
import { postJson } from '../support/node/post-json.js';
import { type InProcessNode, startInProcess } from './adapters/in-process-node.js';

let node: InProcessNode;
let site: FakeServer;
let elsewhere: FakeServer;

beforeAll(async () => {
  node = await startInProcess({ config: { write: 'open' } });
  [site, elsewhere] = [await strangerSite(), await strangerSite()];
  for (const name of ['Note', 'Task', 'Thing', 'Other']) {
    const headers = { 'content-type': 'text/turtle', 'access-control-allow-origin': '*' };
    elsewhere.on(`GET /${name}`, { headers, body: `<> a <urn:${name}>; <urn:says> "${name} data".` });
  }
  const open = (template: string, resourceType: string[]): Capability => ({
    resourceType,
    invocation: [
      { type: 'ac:UriTemplateInvocation', template, mapping: [{ variable: 'it', property: 'ac:open' }] },
    ],
  });
  const view = (element: string, resourceType: string[], action = 'odrl:display'): Capability => ({
    ...{ action, resourceType },
    invocation: [{ type: 'ElementInvocation', element, mapping: [{ variable: 'rdf', property: 'data' }] }],
  });
  const noteView = await offerModule(elsewhere, 'elements/note-view.js');
  await post('https://app.example/#i', 'App', [open('#open={it}', ['urn:Note', 'urn:Task'])]);
  await post('https://bad.example/', 'Bad', [open('javascript:alert({it})', ['urn:Task', 'urn:Other'])]);
  await post(noteView, 'Notes', [view('note-view', ['urn:Note'])]);
  await post(`${noteView}?editor`, 'Aaa editor', [view('never-there', ['urn:Note'], 'odrl:modify')]);
  // The newest comes first.
  await post(`${noteView}?things`, 'Things', [view('note-view', ['urn:Thing'])]);
  await post(await offerModule(elsewhere, 'elements/blank-view.js'), 'Aaa blank', [
    view('blank-view', ['urn:Thing']),
  ]);
});

async function post(uri: string, label: string, capability: Capability[]): Promise<void> {
  const answer = await fetch(`${node.url}/component`, postJson({ uri, label, capability }));
  expect([answer.status, answer.ok ? '' : await answer.text()]).toEqual([201, '']);
}

const show = (page: Page, name: string) =>
  page.evaluate(
    async ([resource, registry]) => {
      const into = document.querySelector('main') ?? document.body;
      const shown = await window.host.showResource(resource, { registry: [registry], into });
      return shown && { label: shown.component.uri, is: shown.element.localName, openWith: shown.openWith };
    },
    [elsewhere.url(`/${name}`), node.url] as const,
  );

describe('showResource', () => {
  test('takes the best component for displaying, and says what else opens the resource', async () => {
    const { page, complaints } = await visitHostPage(site, node.url);
    const url = `https://app.example/#open=${encodeURIComponent(elsewhere.url('/Note'))}`;
    expect(await show(page, 'Note')).toEqual({
      ...{ label: elsewhere.url('/elements/note-view.js'), is: 'note-view' },
      openWith: [{ label: 'App', url }],
    });
    await page.getByText('Note data').waitFor();
    expect(complaints).toEqual([]);
  });

  test('shows links where nothing runs in a page, and never one that is no address', async () => {
    const { page, complaints } = await visitHostPage(site, node.url);
    expect(await show(page, 'Task')).toMatchObject({ is: 'nav', openWith: [{ label: 'App' }] });
    const link = page.getByRole('navigation', { name: 'Open with' }).getByRole('link');
    expect(await link.allTextContents()).toEqual(['Open with App']);
    expect(await link.getAttribute('rel')).toBe('noopener noreferrer');
    expect(await show(page, 'Other')).toBeUndefined();
    expect(complaints).toEqual([]);
  });
});

test('what is behind the uri of an application is never imported', async () => {
  const { page } = await visitHostPage(site, node.url);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await show(page, 'Note');
  const outcome = page.evaluate(
    async ([uri, registry]) => {
      const [component] = await new window.host.RegistryClient({ nodes: [registry] }).query({ uri });
      return component && window.host.loadComponent(component).catch(String);
    },
    ['https://app.example/#i', node.url] as const,
  );
  expect(await outcome).toContain('https://app.example/#i is no module');
  expect(asked.filter((url) => url.startsWith('https://app.example/'))).toEqual([]);
  await expect.poll(() => asked).toContain(elsewhere.url('/elements/note-view.js'));
});
