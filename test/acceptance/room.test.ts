import { expect, test } from 'vitest';
import { cleanup } from '../support/cleanup.js';
import { type FakeServer, fakeServer } from '../support/fake-server.js';
import { startNode } from '../support/node/node-process.js';
import { listedUris } from '../support/node/node-reader.js';
import { waitFor } from '../support/wait-for.js';

const VOC = 'http://semcom.digita.ai/voc#';
/** A pod with one document, which is the pod itself, or the only member of a container. */
class OneDocument {
  readonly #server: FakeServer;
  readonly #path: string;
  #version = 0;

  constructor(
    server: FakeServer,
    readonly name: string,
    readonly url: string,
  ) {
    this.#server = server;
    this.#path = url.endsWith('/') ? '/pod/one.ttl' : '/pod.ttl';
  }

  /** Has it describe so many components, each with so many bytes of tags. */
  write(components: number, bytes: number): void {
    this.#version += 1;
    const tags = Array.from(
      { length: bytes / 1000 },
      (_, i) => `<${VOC}tag> "${String(i).padStart(1000, 'x')}"`,
    );
    const body = Array.from(
      { length: components },
      (_, i) =>
        `<https://c.example/${this.name}-${i}.js> a <${VOC}component> ; <${VOC}label> "One" ; ${tags.join(' ; ')} .`,
    );
    const headers = { 'content-type': 'text/turtle' };
    this.#server.on(this.#path, { body: body.join('\n'), etag: `"${this.#version}"`, headers });
    const listing =
      '<> a <http://www.w3.org/ns/ldp#Container> ; <http://www.w3.org/ns/ldp#contains> <one.ttl> .';
    this.#server.on('/pod/', { body: listing, headers });
  }

  /** How often the whole document was asked for, and how often it was asked whether it has changed. */
  get asked(): { readonly whole: number; readonly conditionally: number } {
    const gets = this.#server.requests.filter(({ method, url }) => method === 'GET' && url === this.#path);
    const conditionally = gets.filter(({ headers }) => headers['if-none-match']).length;
    return { whole: gets.length - conditionally, conditionally };
  }
}

async function pod(name: string, path: '/pod.ttl' | '/pod/' = '/pod.ttl'): Promise<OneDocument> {
  const server = await fakeServer();
  cleanup(() => server.close());
  return new OneDocument(server, name, server.url(path));
}

/** A node that learns of pods from a peer, and keeps a megabyte of what it has learned. */
async function nodeThatLearns(pods: readonly OneDocument[]) {
  const peer = await fakeServer();
  cleanup(() => peer.close());
  peer
    .on('/storage', { body: pods.map(({ url }) => url) })
    .on('/peers', { body: [] })
    .on('/component', { body: [] });
  return startNode({
    config: {
      peers: [peer.origin],
      network: { allowPrivate: true },
      sync: { schedule: '* * * * * *', streams: 0, maxLearnedComponents: 100 },
    },
  });
}

test('near the limit, a document that has no room as a whole is not read again and again', async () => {
  const [full, cut] = [await pod('full'), await pod('cut', '/pod/')];
  full.write(15, 60_000);
  const node = await nodeThatLearns([full, cut]);
  const uris = () => listedUris(node);
  await waitFor(async () => (await uris()).length === 15);
  // There are some 90,000 bytes left: one of these fits, and room for much smaller ones is left.
  cut.write(3, 60_000);
  await waitFor(async () => (await uris()).length === 16);
  const { whole, conditionally } = cut.asked;
  await waitFor(() => cut.asked.conditionally + cut.asked.whole >= whole + conditionally + 4);
  expect(cut.asked.whole).toBe(whole);
});

test('a pod that is one document is read again as a whole once there is room for what was left out of it', async () => {
  const [full, cut] = [await pod('full'), await pod('cut')];
  full.write(15, 60_000);
  const node = await nodeThatLearns([full, cut]);
  const uris = () => listedUris(node);
  await waitFor(async () => (await uris()).length === 15);
  cut.write(3, 60_000);
  await waitFor(async () => (await uris()).length === 16);
  full.write(10, 60_000);
  await waitFor(async () => (await uris()).length === 13);
});
