import { systemClock } from '../../../src/lib/clock.js';
import { createPodSource } from '../../../src/sync/pod/pod-source.js';
import { FakePod, turtle } from '../../support/pod/fake-pod.js';
import { VOCABULARY } from '../../support/registry.js';
import { sourceContract } from '../source-contract.js';

sourceContract('a pod', (server) => {
  const pod = new FakePod(server);
  const sizes = new Map<string, number>();
  return {
    say(documents) {
      for (const path of [...sizes.keys()].filter((path) => !(path in documents))) {
        pod.delete(`/c/sub/${path}`);
        sizes.delete(path);
      }
      for (const [path, size] of Object.entries(documents)) {
        if (sizes.get(path) === size) continue;
        sizes.set(path, size);
        const components = Array.from({ length: size }, (_, i) => turtle(`${path}${i}`));
        pod.put(`/c/sub/${path}`, components.join('\n'));
      }
    },
    break: (fault) => pod.answerAll(fault),
    breakPart() {
      pod.delete('/c/sub/a');
      pod.faults.set('/c/sub/', { status: 500 });
    },
    source: ({ fetch, pool }) =>
      createPodSource({
        url: server.url('/c/'),
        fetch,
        pool,
        trust: 'configured',
        clock: systemClock,
        vocabulary: VOCABULARY,
        maxDocuments: 100,
        log: { error: () => undefined },
      }),
    hasReadTheRest: ({ documents }) => documents.some(({ url }) => url.endsWith('/b')),
    bodies: () => pod.seen().filter((line) => line.endsWith(' 200') && !line.includes('/ ')).length,
  };
});
