import { beforeAll, describe, expect, test } from 'vitest';
import { connectionPath, invite, refreshAll } from '../../../support/connection-requests.js';
import { type FakeServer, fakeServer, inTurtle } from '../../../support/fake-server.js';
import { ALICE, BASE, startService, type TestService } from '../../adapters/connection-app.js';

const encode = encodeURIComponent;

const DATA = inTurtle('<#it> <urn:v#name> "Secret", "Other" ; <urn:v#knows> <#b> .');

let node: TestService;
let pod: FakeServer;
beforeAll(async () => {
  node = await startService();
  pod = (await fakeServer()).everything(
    inTurtle('<#it> <urn:v#name> "Secret", "Other" ; <urn:v#knows> <#b> .'),
  );
});

const submit = (link: string, fields: Record<string, string>) =>
  node.send(link, {
    method: 'POST',
    token: null,
    body: String(new URLSearchParams(fields)),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
const open = (link: string) => node.send(link, { token: null });
const read = async (uri: string) => (await node.send(`/invite/${encode(uri)}`)).json;
/** What a page says, without its markup. */
const words = (html: string) =>
  html
    .slice(html.indexOf('<main'))
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ');

/** An invite that its holder has accepted; its link still is that of the message. */
async function accepted(): Promise<{ uri: string; link: string; source: string }> {
  const uri = await invite(node, ALICE);
  const link = (await node.send(`/invite/${encode(uri)}/link`)).json.inviteLink.slice(BASE.length);
  const source = pod.url(`/${encode(uri)}`);
  expect((await submit(link, { source })).status).toBe(200);
  return { uri, link, source };
}

describe('the link of an accepted invite', () => {
  test('leads to what is connected, what was read when, and how much is kept, without the values', async () => {
    const { link, source } = await accepted();
    expect(words((await open(link)).text)).toMatch(
      /You are connected .*Last read on 20 November 2026.*Kept: 3 statements/,
    );
    // Long after the invite could have been accepted.
    node.time.now += 90 * 86_400_000;
    const { status, text } = await open(link);
    expect([status, text]).toEqual([200, expect.stringContaining(`href="${source}"`)]);
    expect(words(text)).toMatch(
      /Last read on 20 November 2026 at 12:00 UTC \. Kept: 3 statements: knows, name\. .*What happened before Accepted 20 November 2026/,
    );
    expect(text).not.toMatch(/Secret|<script/);
    pod.everything({ status: 403 });
    await refreshAll(node);
    pod.everything(DATA);
    expect(words((await open(link)).text)).toMatch(
      /Kept: 3 statements.*The latest attempt failed: it answers 403/,
    );
  });

  test('ends the connection after a confirmation, and says so from then on; the invite says when', async () => {
    const { uri, link, source } = await accepted();
    await refreshAll(node);
    const { connection } = await read(uri);
    expect((await open(link)).text).toMatch(
      /<details[^>]*><summary[^>]*>End it<[\s\S]*name="end" value="yes"/,
    );
    for (const answer of [
      await submit(link, { end: 'yes' }),
      await submit(link, { end: 'yes' }),
      await open(link),
    ]) {
      expect(answer.status).toBe(200);
      expect(words(answer.text)).toMatch(
        /This connection has ended .*What happened before Ended .*Accepted .*Invited/,
      );
      expect(answer.text).not.toContain(source);
    }
    expect(await read(uri)).toMatchObject({
      state: 'linked',
      connection: null,
      ended: String(node.time.now),
    });
    expect((await node.send(connectionPath(connection))).status).toBe(404);
    expect((await node.send(`/resource/${encode(source)}`)).status).toBe(404);
    expect((await submit(link, { source })).status).toBe(409);
  });

  test('shows and ends what this one invite has led to, and nothing else', async () => {
    const [one, other] = [await accepted(), await accepted()];
    await submit(one.link, { end: 'yes' });
    expect((await read(other.uri)).ended).toBeUndefined();
    expect((await open(other.link)).text).not.toContain(one.source);
  });
});

test('the address of a record tells a browser what to do, and a program that a token is missing', async () => {
  const { connection } = await read((await accepted()).uri);
  const ask = (accept: string) => node.send(connectionPath(connection), { token: null, headers: { accept } });
  const page = await ask('text/html,application/xhtml+xml,*/*;q=0.8');
  expect([page.status, page.headers.get('content-type')]).toEqual([401, 'text/html; charset=utf-8']);
  expect(page.headers.get('www-authenticate')).toContain('Bearer');
  expect(words(page.text)).toMatch(/Have you been invited\? Open the link that you were sent/);
  expect((await ask('*/*')).json).toMatchObject({ status: 401 });
});
