/**
 * A registry in a process of its own, with one source of one document. Told `{ from, to, releases }`, it puts those
 * components in the place of what the document said before, and tells how long that took, in ms.
 */
import { openOnDisk } from './open-registry.js';
import type { PodOrder } from './pod-server.js';
import { releasesOf, sampleComponents } from './sample-data.js';

const source = { kind: 'pod' as const, url: 'http://pod.example/components.ttl' };
const opening = openOnDisk(process.argv[2] as string);

async function replace({ from, to, releases }: PodOrder): Promise<number> {
  const components = [...sampleComponents(from, to, releasesOf(releases))];
  const { registry } = await opening;
  const started = performance.now();
  await registry.commit({
    source,
    documents: [{ url: source.url, components, record: {} }],
    record: () => ({ failures: 0 }),
  });
  return performance.now() - started;
}

process.on('message', (order: PodOrder) => {
  replace(order).then(
    (result) => process.send?.({ result }),
    (error: Error) => process.send?.({ error: error.message }),
  );
});
