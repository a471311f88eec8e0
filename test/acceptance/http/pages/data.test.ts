import { beforeEach, describe, expect, test } from 'vitest';
import { browse } from '../../../support/explorer-pages.js';
import { component, createTestApp, type TestApp } from '../../adapters/registry-app.js';

const PERSON = 'http://xmlns.com/foaf/0.1/Person';
const INDIVIDUAL = 'http://www.w3.org/2006/vcard/ns#Individual';
const OWN = { kind: 'pod', url: 'https://own.example/' } as const;
const LEARNED = { kind: 'pod', url: 'https://learned.example/' } as const;
const BOTH = '/c/https%3A%2F%2Fc.example%2FBoth-shapes.js';
const DATA = 'https://pod.example/profile/card#me';

let app: TestApp;
beforeEach(async () => {
  app = await createTestApp({}, {}, { order: { pods: [OWN.url], peers: [] } });
});

function page(of: { shapes?: readonly string[]; predicates?: readonly string[] }, url = DATA) {
  const question = new URLSearchParams({ url });
  for (const [name, values] of Object.entries(of)) for (const value of values) question.append(name, value);
  return browse(app, `/data?${question}`);
}
const entries = (html: string) =>
  [...html.matchAll(/<h3><a [^>]*><bdi>(.*?)<\/bdi>/g)].map(([, name]) => name);
const reasons = (html: string) =>
  [...html.matchAll(/<ul class="reasons">(.*?)<\/ul>/gs)].map(([, list = '']) =>
    [...list.matchAll(/<li>(.*?)<\/li>/g)].map(([, reason]) => reason),
  );
const card = (name: string, more = {}) =>
  component(`https://c.example/${name.replaceAll(' ', '-')}.js`, { label: name, shapes: [PERSON], ...more });

describe('what renders data', () => {
  beforeEach(async () => {
    await app.say(OWN, [
      ...[card('Latest', { latest: true }), card('Outdated', { latest: false })],
      ...['1.0.0', '2.0.0'].map((version) => card(version, { label: 'Newest', version })),
      card('Something else', { shapes: [] }),
    ]);
    const both = card('Both shapes', { shapes: [PERSON, INDIVIDUAL] });
    await app.say(LEARNED, [card('A stranger', { latest: true }), both]);
  });

  test('is ranked, with the reasons, one click away from being tried', async () => {
    const html = await (await page({ shapes: [PERSON, INDIVIDUAL] })).text();
    expect(entries(html)).toEqual(['Latest', 'Newest', 'Outdated', 'Both shapes', 'A stranger']);
    const [some, trusted] = ['renders foaf:Person', 'described by a source that this node was told to trust'];
    const missing = 'does not say that it shows vcard:Individual';
    const learned = 'described by a source that other nodes know';
    expect(reasons(html)).toEqual([
      [some, 'its latest version', trusted, missing],
      [some, trusted, missing],
      [some, 'its author says that it is not the latest version', trusted, missing],
      ['renders foaf:Person and vcard:Individual', learned],
      [some, 'its latest version', learned, missing],
    ]);
    expect(html).toContain('5 components render it');
    // Whatever is followed from there, the visitor's data is kept.
    expect(html.match(/href="\/c\/[^"]*Both-shapes.js[^"]*"/g)).toEqual(
      ['', '', '#use'].map(
        (at) => `href="${BOTH}?entry=https%3A%2F%2Fpod.example%2Fprofile%2Fcard%23me${at}"`,
      ),
    );
  });

  test('is found by the names of its properties where no class is named', async () => {
    const predicates = ['name', 'knows', 'mbox', 'img'].map((name) => `http://xmlns.com/foaf/0.1/${name}`);
    const html = await (await page({ predicates })).text();
    expect(reasons(html)[0]?.[0]).toMatch(/^renders foaf:Person, and the data has \d of its/);
  });
});

describe('data that was not read yet', () => {
  test('is read by the script of the page, which may reach it; the node asks nobody', async () => {
    const answer = await page({}, 'http://pod.example:3000/x');
    const html = await answer.text();
    expect(html).toContain('src="/assets/data.js"');
    expect(html).toContain('data-url="http://pod.example:3000/x"');
    const policy = answer.headers.get('content-security-policy');
    expect(policy).toContain("connect-src 'self' https: http://pod.example:3000;");
    expect(policy).toContain("script-src 'self';");
  });

  test('is asked for by a form where nothing is named, and must be on the web', async () => {
    const form = await browse(app, '/data');
    expect(await form.text()).toContain('<input id="url" name="url" type="url" required');
    expect(form.headers.get('content-security-policy')).toContain("connect-src 'self';");
    const answer = await page({}, 'file:///etc/passwd');
    expect(answer.status).toBe(422);
    // Where it can be corrected.
    expect(await answer.text()).toMatch(/is no web address.*<input[^>]* value="file:\/\/\/etc\/passwd"/s);
  });
});
