import { beforeAll, describe, expect, test } from 'vitest';
import { formPage } from '../../../src/connection/invites/invite-page.js';
import type { Invite } from '../../../src/connection/records/invite.js';
import { ALICE, BASE, invite, startService, type TestService } from '../../support/connection-app.js';
import { fakeServer } from '../../support/fake-server.js';
import { turtle } from '../../support/refreshed-pod.js';

const encode = encodeURIComponent;
const STUDY = 'https://research.example/sleep#study';
const PURPOSE = 'https://research.example/purposes/sleep';

let node: TestService;
beforeAll(async () => {
  node = await startService();
});

/** The page behind the link of a new invite for Alice, by the token of whoever makes it. */
async function pageOf(token?: string): Promise<{ text: string; link: string }> {
  const body = { purpose: PURPOSE, holder: ALICE, expires: String(Date.UTC(2027, 0, 2, 3, 4)) };
  const as = token === undefined ? {} : { token };
  const { json } = await node.send('/invite/', { method: 'POST', body, ...as });
  const link = (await node.send(`/invite/${encode(json.uri)}/link`, as)).json.inviteLink.slice(BASE.length);
  return { text: (await node.send(link, { token: null })).text, link };
}

/** The facts that a page lists: its terms with what they say, without markup. */
const facts = (html: string) =>
  Object.fromEntries(
    [...html.matchAll(/<dt>(.*?)<\/dt><dd>(.*?)<\/dd>/gs)].map(([, term = '', said = '']) => [
      term,
      said.replace(/<[^>]*>/g, ''),
    ]),
  );

describe('the page of an invite', () => {
  test('says who invites, for what, whom, and until when', async () => {
    const { text } = await pageOf(await node.token(STUDY, 'invite'));
    expect(facts(text)).toEqual({
      'Who invites': STUDY,
      'What for': PURPOSE,
      For: 'alice.example/card#me',
      'Open until': '2 January 2027 at 03:04 UTC',
    });
  });

  test('that the operator made, or the holder, says so', async () => {
    expect(facts((await pageOf()).text)['Who invites']).toBe('The operator of node.example');
    const own = await pageOf(await node.token(ALICE));
    expect(facts(own.text)['Who invites']).toBe('You, with an application that acts for you');
  });

  test('of an earlier version, which did not note it, says that', () => {
    const old: Invite = {
      ...{ uri: 'urn:i', exchange: null, holder: ALICE, state: 'not linked', purpose: PURPOSE },
      ...{ connection: null, created: '0', expires: '1', accepted: null },
    };
    const purpose = { iri: PURPOSE, name: PURPOSE, by: 'nobody' } as const;
    const html = formPage({ node: { baseUrl: BASE, version: '1', health: 'serving' }, invite: old, purpose });
    expect(facts(html)['Who invites']).toMatch(/^Not noted/);
  });

  test('says before how the connection is ended, and is for this one thing: no menu, nothing for programs', async () => {
    const { text, link } = await pageOf();
    expect(text).toMatch(/To end it, open this link again: what was read through it is deleted/);
    for (const html of [text, (await node.send(`${link}x`, { token: null })).text]) {
      expect(html).toContain('<link rel="stylesheet" href="/explorer.css">');
      expect(html).not.toMatch(/<script|<nav|<footer|For programs|href="\/"/);
    }
  });
});

describe('what an invite is for', () => {
  const open = async (service: TestService, purpose: string) => {
    const { inviteLink } = (
      await service.send(`/invite/${encode(await invite(service, ALICE, { purpose }))}/link`)
    ).json;
    return facts((await service.send(inviteLink.slice(BASE.length), { token: null })).text)['What for'];
  };

  test('is said in the words of the operator: name, sentence, whom to ask, what becomes of the data', async () => {
    const said = {
      name: 'Sleep and screens',
      sentence: 'We compare how long people sleep with how long they look at screens.',
      contact: 'sleep@research.example',
      privacy: 'https://research.example/privacy',
    };
    const service = await startService({ purposes: { [PURPOSE]: said } });
    expect(await open(service, PURPOSE)).toBe(
      `${said.name}${said.sentence}Questions: ${said.contact} · What becomes of your data`,
    );
  });

  test('else in those of its document, beside its address; and the address when that gives no name', async () => {
    const site = await fakeServer();
    const label = '<#sleep> <http://www.w3.org/2000/01/rdf-schema#label> "Slaap"@nl, "Sleep"@en .';
    site.on('/purposes', turtle(`${label} <#other> <http://purl.org/dc/terms/title> "Other" .`));
    const [named, unknown] = [site.url('/purposes#sleep'), site.url('/missing')];
    expect(await open(node, named)).toBe(`Sleep ${named}`);
    expect(await open(node, named)).toBe(`Sleep ${named}`);
    expect(await open(node, unknown)).toBe(unknown);
    expect(site.count('/purposes')).toBe(1);
    // The guarded fetch does not go to private addresses.
    const guarded = await startService({ allowPrivate: false });
    expect(await open(guarded, named)).toBe(named);
    expect(site.count('/purposes')).toBe(1);
  });
});
