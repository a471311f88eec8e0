import { beforeAll, describe, expect, test } from 'vitest';
import { formPage } from '../../../src/connection/invites/invite-page.js';
import type { Invite } from '../../../src/connection/records/invite.js';
import { ALICE, BASE, startService, type TestService } from '../../support/connection-app.js';

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
      Purpose: PURPOSE,
      For: ALICE,
      'Open until': '2 January 2027 at 03:04 UTC',
    });
  });

  test('that the operator made, or the holder, says so', async () => {
    expect(facts((await pageOf()).text)['Who invites']).toBe('The operator of node.example');
    const own = await pageOf(await node.token(ALICE));
    expect(facts(own.text)['Who invites']).toBe('You, with an application that acts for you');
  });

  test('of an earlier version, which did not note it, says that', () => {
    const invite: Invite = {
      ...{ uri: 'urn:i', exchange: null, holder: ALICE, state: 'not linked', purpose: PURPOSE },
      ...{ connection: null, created: '0', expires: '1', accepted: null },
    };
    const html = formPage({ node: { baseUrl: BASE, version: '1', health: 'serving' }, invite });
    expect(facts(html)['Who invites']).toMatch(/^Not noted/);
  });

  test('says how to end the connection: before, after, and when there is nothing left to accept', async () => {
    const { text, link } = await pageOf();
    expect(text).toMatch(/To end it[^.]*delete/);
    const form = {
      method: 'POST',
      token: null,
      body: 'source=urn%3Ax&insist=yes',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    };
    const done = await node.send(link, form);
    const [{ uri }] = (await node.send('/connection/?limit=1')).json;
    expect(facts(done.text)).toMatchObject({ Source: 'urn:x', Connection: decodeURIComponent(uri) });
    expect(done.text).toMatch(/To end it[^.]*delete/);
    expect((await node.send(link, form)).text).toMatch(/To end it[^.]*delete/);
  });

  test('has the frame and the style of the other pages, and none of their scripts', async () => {
    const { text, link } = await pageOf();
    for (const html of [text, (await node.send(`${link}x`, { token: null })).text]) {
      expect(html).toContain('<link rel="stylesheet" href="/explorer.css">');
      expect(html).toContain('<nav aria-label="Pages">');
      expect(html).toMatch(/A <span class="state serving">serving<\/span> component registry node/);
      expect(html).not.toMatch(/<script|aria-current/);
    }
  });
});
