import { expect } from 'vitest';
import { type InProcessNode, startInProcess } from '../../acceptance/adapters/in-process-node.js';
import type { Pod } from '../pod/pod.js';
import { fillPod } from '../pod/sample-pod.js';
import { sharedPod } from '../pod/shared-pod.js';
import { putSampleComponents, putSampleData } from '../sample-components.js';
import { listedUris, sync } from './node-reader.js';

/** A node that has read a pod with the sample metadata, with components that work and with data for them. */
export interface ExplorerNode {
  readonly node: InProcessNode;
  readonly pod: Pod;
  /** The absolute URL of a path below the container of the test. */
  readonly podUrl: (path: string) => string;
}

/** Starts the node; anyone on this machine may write to it, and two of its sources never answer. `name` is the container's, `more` is configuration. */
export async function startExplorerNode(name: string, more: object = {}): Promise<ExplorerNode> {
  const pod = await sharedPod();
  const podUrl = (path: string) => `${pod.url}${name}/${path}`;
  await fillPod(pod, `${name}/components/`);
  await putSampleComponents(pod.put, `${name}/components/samples/`);
  await putSampleData(pod.put, `${name}/data/`);
  await pod.makePublic(`${name}/data/`);
  const node = await startInProcess({
    config: {
      pods: [{ url: podUrl('components/') }, { url: 'http://127.0.0.1:9/' }],
      peers: ['http://127.0.0.1:9/peer'],
      network: { allowPrivate: true },
      write: 'open',
      ...more,
    },
  });
  await sync(node);
  expect((await listedUris(node)).length).toBeGreaterThan(10);
  return { node, pod, podUrl };
}
