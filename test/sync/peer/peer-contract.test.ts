import type { FakeAnswer } from '../../support/fake-server.js';
import { FakePeer, simple } from '../../support/peer/fake-peer.js';
import { FeedServer } from '../../support/peer/feed-server.js';
import { testPeerReader } from '../../support/peer/test-peer-reader.js';
import { memoryRegistry, VOCABULARY } from '../../support/registry.js';
import { sourceContract } from '../source-contract.js';

sourceContract('a peer with a feed', (server) => {
  const opened = memoryRegistry();
  /** What it says is said in order, once the registry is open. */
  let said: Promise<unknown> = opened;
  let documentsBefore: string[] = [];
  let fault: FakeAnswer | undefined;
  let bodies = 0;
  let feed: FeedServer | undefined;
  server.everything(async (request) => {
    const registry = await opened;
    await said;
    if (!fault && request.url.startsWith('/component')) return { body: await registry.list() };
    const isFeed = request.url.startsWith('/feed');
    if (fault && (isFeed || !fault.truncate)) return fault;
    feed ??= new FeedServer(registry);
    const answer = (await feed.answer(request)) ?? { status: 404 };
    if (answer.status !== 304) bodies += 1;
    return answer;
  });
  return {
    say(documents) {
      const urls = Object.keys(documents).map((name) => `https://pod.example/${name}`);
      const gone = documentsBefore.filter((url) => !urls.includes(url));
      documentsBefore = urls;
      const changes = Object.entries(documents).map(([name, size]) => ({
        url: `https://pod.example/${name}`,
        components: Array.from({ length: size }, (_, i) => simple(`${name}${i}`)),
        record: {},
      }));
      said = said.then(async () =>
        (await opened).commit({
          source: { kind: 'pod', url: 'https://pod.example/' },
          documents: [...changes, ...gone.map((url) => ({ url, record: null }))],
          record: (record) => record,
        }),
      );
    },
    break(answer) {
      fault = answer;
    },
    breakPart() {
      fault = { headers: { 'content-type': 'application/json' }, body: '{"cursor":"', truncate: 'length' };
    },
    reader: (parts) => testPeerReader({ url: server.origin, ...parts }),
    bodies: () => {
      const count = bodies;
      bodies = 0;
      return count;
    },
  };
});

sourceContract('a peer without a feed', (server) => {
  const peer = new FakePeer(server);
  return {
    say(documents) {
      peer.graphs.clear();
      peer.peers = Object.keys(documents).map((name) => `https://${name}.example`);
      for (const [name, size] of Object.entries(documents)) {
        const components = Array.from({ length: size }, (_, i) => simple(`${name}${i}`));
        peer.graphs.set(`https://pod.example/${name}`, components);
      }
    },
    break(fault) {
      for (const path of ['/peers', '/storage', '/component']) {
        if (fault) peer.faults.set(path, fault);
        else peer.faults.delete(path);
      }
    },
    breakPart() {
      peer.graphs.delete('https://pod.example/a');
      const body = `<https://c.example/b0.js> <${VOCABULARY.predicates.label}> "b0" <https://pod.example/b>.\n`;
      peer.faults.set('/component', {
        headers: { 'content-type': 'application/n-quads' },
        body,
        truncate: 'length',
      });
    },
    reader: (parts) => testPeerReader({ url: server.origin, ...parts }),
    bodies: () => peer.bodies(),
  };
});
