import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { invite } from '../../../support/connection-requests.js';
import { type FakeServer, fakeServer, inTurtle } from '../../../support/fake-server.js';
import { waitFor } from '../../../support/wait-for.js';
import { ALICE, BASE, BOB, startService, type TestService } from '../../adapters/connection-app.js';

const encode = encodeURIComponent;

let pod: FakeServer;
let node: TestService;
beforeAll(async () => {
  pod = await fakeServer();
});
beforeEach(async () => {
  node = await startService();
});

async function linkTo(uri: string): Promise<string> {
  return (await node.send(`/invite/${encode(uri)}/link`)).json.inviteLink.slice(BASE.length);
}

/** Sends the form as a browser does. */
const submit = (link: string, source: string) =>
  node.send(link, {
    method: 'POST',
    token: null,
    body: String(new URLSearchParams({ source })),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
const read = async (uri: string) => (await node.send(`/invite/${encode(uri)}`)).json;
const connections = async () => (await node.send('/connection/')).json;

describe('before an invite is accepted, its source is read', () => {
  test('once, without credentials, and what was found is kept from the first moment', async () => {
    pod.on('/good', inTurtle('<#it> <urn:p> 1, 2, 3 .'));
    const uri = await invite(node, ALICE);
    const before = pod.count('/good');
    const { status, text } = await submit(await linkTo(uri), pod.url('/good'));
    expect([status, text]).toEqual([200, expect.stringContaining('Kept: 3 statements')]);
    expect(text).not.toContain('Not read yet');
    const { json } = await node.send(`/resource/${encode(pod.url('/good'))}`);
    expect(json.triples).toHaveLength(3);
    expect(pod.count('/good') - before).toBe(1);
    expect(pod.requests.at(-1)?.headers.authorization).toBeUndefined();
    expect((await read(uri)).state).toBe('linked');
  });

  const DEAD = 'http://127.0.0.1:9/data';
  test.each([
    ['nobody answers', DEAD, {}, /could not be reached/],
    ['the connection is dropped', '/drop', { drop: true }, /could not be reached/],
    ['it asks who is there', '/401', { status: 401 }, /does not let this node read it/],
    ['it forbids', '/403', { status: 403 }, /does not let this node read it/],
    ['there is nothing', '/404', { status: 404 }, /There is nothing at this address/],
    ['it answers an error', '/500', { status: 500 }, /answers with an error/],
    [
      'it is a web page',
      '/html',
      { headers: { 'content-type': 'text/html' }, body: '<p>' },
      /no data that this node understands/,
    ],
    ['its Turtle is broken', '/broken', inTurtle('<#it> <urn:p> '), /has mistakes/],
    ['it is too large', '/large', inTurtle(`<#it> <urn:p> "${'x'.repeat(200_000)}" .`), /too large/],
    ['it is no web address', 'urn:isbn:0451450523', {}, /does not read such addresses/],
  ])('%s: the page says so, and the invite is not used up', async (_, where, answer, words) => {
    if (where.startsWith('/')) pod.on(where, answer);
    const source = where.startsWith('/') ? pod.url(where) : where;
    const uri = await invite(node, ALICE);
    const link = await linkTo(uri);
    const { status, text, headers } = await submit(link, source);
    expect([status, headers.get('content-type')]).toEqual([422, 'text/html; charset=utf-8']);
    expect(text).toMatch(words);
    expect(text).toContain(`value="${source}"`);
    expect([(await read(uri)).state, await connections()]).toEqual(['not linked', []]);
  });

  test('not inside the network of the node', async () => {
    node = await startService({ allowPrivate: false });
    const uri = await invite(node, ALICE);
    const before = pod.requests.length;
    const { status, text } = await submit(await linkTo(uri), pod.url('/good'));
    expect([status, text]).toEqual([422, expect.stringContaining('does not read such addresses')]);
    expect(pod.requests.length).toBe(before);
  });

  test('unless it is no address at all', async () => {
    const uri = await invite(node, ALICE);
    const { status, text } = await submit(await linkTo(uri), 'my pod');
    expect([status, text]).toEqual([422, expect.stringContaining('This is not an address')]);
    expect((await read(uri)).state).toBe('not linked');
  });

  test('so often that nobody can scan the web with a link: then it is 429', async () => {
    pod.on('/404', { status: 404 });
    const [uri, other] = [await invite(node, ALICE), await invite(node, BOB)];
    const link = await linkTo(uri);
    for (let i = 0; i < 10; i++) expect((await submit(link, pod.url('/404'))).status).toBe(422);
    const before = pod.requests.length;
    const { status, headers, text } = await submit(link, pod.url('/404'));
    expect([status, Number(headers.get('retry-after'))]).toEqual([429, 60]);
    expect(text).toContain('in 60 seconds');
    expect(pod.requests.length).toBe(before);
    // Others are not kept waiting.
    expect((await submit(await linkTo(other), pod.url('/404'))).status).toBe(422);
  });

  test('and an invite that has expired or was accepted meanwhile stays so', async () => {
    const answers: (() => void)[] = [];
    pod.on('/slow', async () => {
      await new Promise<void>((resolve) => answers.push(resolve));
      return inTurtle('<#it> <urn:p> 1 .');
    });
    const soon = String(node.time.now + 1000);
    const [late, used] = [await invite(node, ALICE, { expires: soon }), await invite(node, ALICE)];
    const links = [await linkTo(late), await linkTo(used)];
    const first = submit(links[0] ?? '', pod.url('/slow'));
    await waitFor(() => answers[0]);
    node.time.now += 1000;
    answers[0]?.();
    expect((await first).status).toBe(410);

    const second = submit(links[1] ?? '', pod.url('/slow'));
    await waitFor(() => answers[1]);
    pod.on('/other', inTurtle('<#it> <urn:p> 2 .'));
    expect((await submit(links[1] ?? '', pod.url('/other'))).status).toBe(200);
    answers[1]?.();
    expect((await second).status).toBe(409);
    expect(await connections()).toHaveLength(1);
  });
});
