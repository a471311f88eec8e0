import { beforeEach, expect, it } from 'vitest';
import { peerStream, podStream } from '../../../src/sync/push/listening.js';
import { NoStream, type OpenStream } from '../../../src/sync/source-reader.js';
import { type FakeServer, fakeServer } from '../../support/fake-server.js';
import { door } from '../../support/guarded-doors.js';
import { VirtualClock } from '../../support/virtual-time.js';
import { waitFor } from '../../support/wait-for.js';

/** How long a stream may be open, in ms. */
const LIFE = 3_600_000;
const EVENTS = { 'content-type': 'text/event-stream' };
const CHANNEL = 'http://www.w3.org/ns/solid/terms#updatesViaStreamingHttp2023';

let server: FakeServer;
let clock: VirtualClock;
beforeEach(async () => {
  server = await fakeServer();
  clock = new VirtualClock();
});

const parts = () => ({ fetch: door({ allowPrivate: true, maxBytes: 1_000_000 }), clock });
const toPeer = () => peerStream({ ...parts(), url: server.origin, trust: 'configured' });
const toPod = () => podStream({ ...parts(), url: `${server.origin}/pod/`, trust: 'configured' });

/** Listens until the line ends, and says how many hints came and how it ended. */
async function listenTo(open: OpenStream, signal = new AbortController().signal) {
  let hints = 0;
  try {
    for await (const _ of await open(signal, LIFE)) hints += 1;
    return { hints, error: undefined };
  } catch (error) {
    return { hints, error: error as Error };
  }
}

it.each([
  ['is a line of data', 'id: e.1\ndata: e.1\n\nid: e.2.0\ndata: e.2.0\n\ndata: unfinished', 2],
  ['has data', ': comment\n\nid: 1\n\nevent: x\n\ndata:\n\ndata: x\n\n', 1],
  ['has lines that end in three ways', 'data: a\r\n\r\ndata: b\r\rdata: c\n\n', 3],
])('an event of a node is a hint; it %s', async (_, body, hints) => {
  server.on('/feed', { headers: EVENTS, body });
  expect(await listenTo(toPeer())).toEqual({ hints, error: undefined });
  expect(server.requests[0]?.headers.accept).toBe('text/event-stream');
});

it('a stream that is opened again says what was heard last, unless that could not be a header', async () => {
  server.on('/feed', [
    { headers: EVENTS, body: 'data: x\n\nid: e.1.0\ndata: e.1.0\n\nid: \u00fc\ndata: y\n\n' },
    { headers: EVENTS, body: ': nothing\n\n' },
  ]);
  const open = toPeer();
  expect(await listenTo(open)).toEqual({ hints: 3, error: undefined });
  expect(await listenTo(open)).toEqual({ hints: 0, error: undefined });
  expect(server.requests.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, 'e.1.0']);
});

it.each([
  ['404', { status: 404 }],
  ['406', { status: 406 }],
  ['a page', { headers: { 'content-type': 'text/html' }, body: '<p>hello' }],
  ['JSON', { body: {} }],
])('a node that answers %s has no event line', async (_, answer) => {
  server.on('/feed', answer);
  expect((await listenTo(toPeer())).error).toBeInstanceOf(NoStream);
});

it('a node whose lines are all taken says when to come again', async () => {
  server.on('/feed', { status: 503, headers: { 'retry-after': '7' } });
  const { error } = await listenTo(toPeer());
  expect(error).toMatchObject({ name: 'NoStream', retryAt: clock.now() + 7000 });
  server.on('/feed', { status: 503 });
  expect((await listenTo(toPeer())).error).not.toBeInstanceOf(NoStream);
});

it('megabytes without a newline end the line, and so does a flood', async () => {
  server.on('/feed', { headers: EVENTS, body: 'x'.repeat(100_000), endless: true });
  expect((await listenTo(toPeer())).error?.message).toContain('more than 4096 characters');
  server.on('/feed', { headers: EVENTS, body: 'data: x\n\n'.repeat(1000), endless: true });
  expect((await listenTo(toPeer())).error?.message).toContain('larger than 4000000 bytes');
  await waitFor(() => server.connections === 0);
});

it('a node that says nothing for too long is left, before it has answered and afterwards', async () => {
  server.on('/feed', { hang: 'answer' });
  const unanswered = listenTo(toPeer());
  await waitFor(() => server.requests.length === 1);
  clock.pass(30_000);
  expect((await unanswered).error?.cause).toEqual(new Error('nothing has been heard for 30000 ms'));
  server.on('/feed', { headers: EVENTS, body: ': hello\n\n: there\n\n', hang: 'body' });
  const hints = await toPeer()(new AbortController().signal, LIFE);
  const ended = (async () => {
    for await (const _ of hints);
  })().catch((error: Error) => error);
  await waitFor(() => server.requests.length === 2);
  clock.pass(30_000);
  expect(await Promise.race([ended, new Promise((resolve) => setImmediate(resolve))])).toBeUndefined();
  clock.pass(150_000);
  expect((await ended)?.cause).toEqual(new Error('nothing has been heard for 150000 ms'));
  await waitFor(() => server.connections === 0);
});

it('a line on which nothing comes, because a proxy holds it back, was never open', async () => {
  // Of which only the beginning comes.
  server.on('/feed', { headers: EVENTS, body: ': a comment\n', hang: 'body' });
  const opening = toPeer()(new AbortController().signal, LIFE).then(
    () => 'open',
    () => 'refused',
  );
  await waitFor(() => server.requests.length === 1);
  // As often as it takes until the answer is there.
  const how = await waitFor(() => {
    clock.pass(29_000);
    return Promise.race([opening, undefined]);
  });
  expect(how).toBe('refused');
});

it('a channel of a pod that does not answer is left, too', async () => {
  server.on('/pod/', { headers: { link: `</channel>; rel="${CHANNEL}"` } });
  server.on('/channel', { hang: 'answer' });
  const unanswered = listenTo(toPod());
  await waitFor(() => server.requests.length === 2);
  clock.pass(30_000);
  expect((await unanswered).error?.cause).toEqual(new Error('nothing has been heard for 30000 ms'));
});

it('each piece of a notification is a hint', async () => {
  server.on('/pod/', { headers: { link: `</channel>; rel="${CHANNEL}"` } });
  server.on('/channel', { headers: { 'content-type': 'text/turtle' }, body: '<x> a <y>.' });
  expect(await listenTo(toPod())).toEqual({ hints: 1, error: undefined });
  expect(server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'HEAD /pod/',
    'GET /channel',
  ]);
});

it.each([
  ['without a channel', {}],
  ['with one of another origin', { link: `<http://127.0.0.1:1/channel>; rel="${CHANNEL}"` }],
  ['with a malformed one', { link: `<http://[>; rel="${CHANNEL}"` }],
])('a pod %s has no line', async (_, headers) => {
  server.on('/pod/', { headers });
  server.on('/channel', { body: 'x' });
  expect((await listenTo(toPod())).error).toBeInstanceOf(NoStream);
  expect(server.requests).toHaveLength(1);
});
