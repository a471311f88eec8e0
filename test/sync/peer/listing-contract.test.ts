import { systemClock } from '../../../src/lib/clock.js';
import { createPeerReader } from '../../../src/sync/peer/peer-reader.js';
import { FakePeer, simple } from '../../support/peer/fake-peer.js';
import { VOCABULARY } from '../../support/registry.js';
import { sourceContract } from '../source-contract.js';

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
    reader: ({ fetch, pool }) =>
      createPeerReader({
        epoch: async () => 'itself',
        url: peer.url,
        mode: 'registry',
        fetch,
        pool,
        trust: 'configured',
        clock: systemClock,
        vocabulary: VOCABULARY,
      }),
    bodies: () => peer.bodies(),
  };
});
