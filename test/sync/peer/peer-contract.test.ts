import type { Source } from '../../../src/component/source.js';
import type { FakeAnswer } from '../../support/fake-server.js';
import { FakePeer, simple } from '../../support/peer/fake-peer.js';
import { FeedServer } from '../../support/peer/feed-server.js';
import { peerReader } from '../../support/peer/polled-peer.js';
import { memoryRegistry, VOCABULARY } from '../../support/registry.js';
import { sourceContract } from '../source-contract.js';

sourceContract('a peer with a feed', async (server) => {
  const registry = await memoryRegistry();
  const feed = new FeedServer(registry);
  const pod: Source = { kind: 'pod', url: 'https://pod.example/' };
  let fault: FakeAnswer | undefined;
  let bodies = 0;
  server.everything(async (request) => {
    if (!fault && request.url.startsWith('/component')) return { body: await registry.list() };
    const isFeed = request.url.startsWith('/feed');
    if (fault && (isFeed || !fault.truncate)) return fault;
    const answer = (await feed.answer(request)) ?? { status: 404 };
    if (answer.status !== 304) bodies += 1;
    return answer;
  });
  return {
    async say(documents) {
      const said = Object.entries(documents).map(([name, size]) => ({
        url: pod.url + name,
        components: Array.from({ length: size }, (_, i) => simple(`${name}${i}`)),
        record: {},
      }));
      const gone = [...((await registry.source(pod))?.documents.keys() ?? [])]
        .filter((url) => !said.some((one) => one.url === url))
        .map((url) => ({ url, record: null }));
      await registry.commit({ source: pod, documents: [...said, ...gone], record: (record) => record });
    },
    break(answer) {
      fault = answer;
    },
    breakPart() {
      fault = { headers: { 'content-type': 'application/json' }, body: '{"cursor":"', truncate: 'length' };
    },
    reader: (parts) => peerReader({ url: server.origin, ...parts }),
    bodies: () => {
      const count = bodies;
      bodies = 0;
      return count;
    },
  };
});

sourceContract('a peer without a feed', async (server) => {
  const peer = new FakePeer(server);
  return {
    async say(documents) {
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
    reader: (parts) => peerReader({ url: server.origin, ...parts }),
    bodies: () => peer.bodies(),
  };
});
