import { beforeEach } from 'vitest';
import type { Source } from '../../../src/component/source.js';
import { createPodReader } from '../../../src/sync/pod/pod-reader.js';
import type { PodOptions } from '../../../src/sync/pod/pod-request.js';
import type { SourceReader } from '../../../src/sync/source-reader.js';
import { type FakeAnswer, type FakeServer, fakeServer } from '../fake-server.js';
import { door } from '../guarded-doors.js';
import { type PollCircumstances, packedPool, pollReader } from '../read-source.js';
import { memoryRegistry, type TestRegistry, VOCABULARY } from '../registry.js';
import { VirtualClock } from '../virtual-time.js';
import { FakePod, turtle } from './fake-pod.js';

/** What a server says that wants a log-in. */
export const html: FakeAnswer = { body: '<p>Log in</p>', headers: { 'content-type': 'text/html' } };

/** The reader of a pod, as after a start of the node. */
export function podReader(parts: Pick<PodOptions, 'url' | 'fetch'> & Partial<PodOptions>): SourceReader {
  return createPodReader({
    ...{ trust: 'configured', clock: new VirtualClock(), vocabulary: VOCABULARY, maxDocuments: 1000 },
    ...{ pool: packedPool, log: { error: () => undefined }, ...parts },
  });
}

/** What each test has anew. */
interface Fresh {
  server: FakeServer;
  registry: TestRegistry;
  pod: FakePod;
  /** What has been logged as an error. */
  logged: Readonly<Record<string, unknown>>[];
}

/**
 * A fake pod with the documents `/c/a` and `/c/b`, and a registry that polls of it are committed to. Call it in
 * `describe`: both are new before each test.
 */
export function polledPod() {
  const clock = new VirtualClock();
  const fresh = {} as Fresh;
  let fetch: PodOptions['fetch'];

  beforeEach(async () => {
    fresh.server = await fakeServer();
    fetch = door({ maxBytes: 20_000 });
    fresh.logged = [];
    fresh.registry = await memoryRegistry({ clock });
    fresh.pod = new FakePod(fresh.server);
    fresh.pod.put('/c/a', turtle('a'));
    fresh.pod.put('/c/b', turtle('b'));
  });

  const source = (path = '/c/'): Source => ({ kind: 'pod', url: fresh.server.url(path) });
  /** Polls what is at the path once, and gives what was read. */
  async function poll(path = '/c/', more: Partial<PodOptions> = {}, circumstances: PollCircumstances = {}) {
    const log = { error: (fields: object, message: string) => fresh.logged.push({ ...fields, message }) };
    const reader = podReader({ url: source(path).url, fetch, clock, log, ...more });
    return (await pollReader(fresh.registry, reader, clock, circumstances)).reading;
  }
  /** The labels that the registry serves. */
  const served = () => fresh.registry.labels();
  /** What is stored about one document of the pod. */
  const document = async (path: string, of = '/c/') =>
    (await fresh.registry.source(source(of)))?.documents.get(fresh.server.url(path));

  return { fresh, clock, source, poll, served, document };
}
