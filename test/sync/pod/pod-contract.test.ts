import type { FakeServer } from '../../support/fake-server.js';
import { FakePod, turtle } from '../../support/pod/fake-pod.js';
import { podReader } from '../../support/pod/polled-pod.js';
import { type OtherSide, sourceContract } from '../source-contract.js';

const described = (path: string, size: number) =>
  Array.from({ length: size }, (_, i) => turtle(`${path}${i}`)).join('\n');

function side(server: FakeServer, pod: FakePod, path: string): Omit<OtherSide, 'say'> {
  return {
    break: (fault) => pod.answerAll(fault),
    reader: (parts) => podReader({ url: server.url(path), ...parts }),
    bodies: () => pod.seen().filter((line) => line.endsWith(' 200') && !line.includes('/ ')).length,
  };
}

sourceContract('a container of a pod', async (server) => {
  const pod = new FakePod(server);
  const sizes = new Map<string, number>();
  return {
    ...side(server, pod, '/c/'),
    async say(documents) {
      for (const path of [...sizes.keys()].filter((path) => !(path in documents))) {
        pod.delete(`/c/sub/${path}`);
        sizes.delete(path);
      }
      for (const [path, size] of Object.entries(documents)) {
        if (sizes.get(path) === size) continue;
        sizes.set(path, size);
        pod.put(`/c/sub/${path}`, described(path, size));
      }
    },
    breakPart() {
      pod.delete('/c/sub/a');
      pod.faults.set('/c/sub/', { status: 500 });
    },
  };
});

sourceContract(
  'a document of a pod',
  async (server) => {
    const pod = new FakePod(server);
    return {
      ...side(server, pod, '/c/d'),
      say: async (documents) =>
        pod.put(
          '/c/d',
          Object.entries(documents)
            .map(([path, size]) => described(path, size))
            .join('\n'),
        ),
    };
  },
  false,
);
