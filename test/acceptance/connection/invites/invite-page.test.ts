import { beforeAll, describe, expect, test } from 'vitest';
import { invite } from '../../../support/connection-requests.js';
import { fakeServer } from '../../../support/fake-server.js';
import { ALICE, BASE, startService, type TestService } from '../../adapters/connection-app.js';

const encode = encodeURIComponent;
const PURPOSE = 'https://research.example/purposes/sleep';

let node: TestService;
beforeAll(async () => {
  node = await startService();
});

/** The page behind the link of a new invite for Alice. */
async function pageOf(): Promise<{ text: string; link: string }> {
  const expires = String(Date.UTC(2027, 0, 2, 3, 4));
  const uri = await invite(node, ALICE, { purpose: PURPOSE, expires });
  const { inviteLink } = (await node.send(`/invite/${encode(uri)}/link`)).json;
  const link = inviteLink.slice(BASE.length);
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
  test('says for what, for whom, and until when', async () => {
    const { text } = await pageOf();
    expect(facts(text)).toEqual({
      'What for': PURPOSE,
      For: 'alice.example/card#me',
      'Open until': '2 January 2027 at 03:04 UTC',
    });
  });

  test('says before how the connection is ended, and is for this one thing: no menu, nothing for programs', async () => {
    const { text, link } = await pageOf();
    expect(text).toMatch(/To end it, open this link again: what was read through it is deleted/);
    for (const html of [text, (await node.send(`${link}x`, { token: null })).text]) {
      expect(html).toContain('<link rel="stylesheet" href="/assets/shell.css"');
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

  test('else as the address of the purpose, which is not asked for', async () => {
    const site = await fakeServer();
    const purpose = site.url('/purposes#sleep');
    expect(await open(node, purpose)).toBe(purpose);
    expect(site.requests).toEqual([]);
  });
});
