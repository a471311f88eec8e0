import type { SimulatedNode } from '../nodes/simulated-node.js';
import { LdpServer } from '../pods/ldp-server.js';
import { pick } from '../time/substream.js';
import type { HappeningKind } from '../world/happening.js';
import type { SimulatedPod, World } from '../world/world.js';

/** The label of what is in no pod. */
export const LIE = 'a lie';

/** What goes wrong when others read a pod for a node (`discovery.relay`). */
export const READER_FAULTS: readonly HappeningKind[] = [
  {
    name: 'lying-reader',
    shows: 'a node says of a pod what is not in it, and when it has seen that, with digests that fit',
    async begin({ world }, random) {
      const liar = pick(random, world.nodes);
      const pod = pick(random, world.pods);
      return {
        what: `${liar.name} lies about what is in ${pod.name}`,
        end: await lieAbout(world, pod, [liar]),
      };
    },
  },
];

/**
 * From now on, some nodes say something else of a pod than is in it, until the function that is returned is called. They are
 * given what they say by a server that nobody else sees: so all of it fits, their lines, digests and dates, and they keep to it.
 */
export async function lieAbout(
  { network, time }: World,
  { name, url, author }: SimulatedPod,
  liars: readonly SimulatedNode[],
): Promise<() => void> {
  const unreal = new LdpServer({ root: url, now: () => time.now });
  const vocabulary = 'http://semcom.digita.ai/voc#';
  for (const document of author.documents) {
    const { origin, pathname: target } = new URL(document);
    const uri = author.uriOf(document);
    const body = `<${uri}> a <${vocabulary}component> ; <${vocabulary}label> "${LIE}" .\n`;
    const headers = { 'content-type': 'text/turtle' };
    await unreal.answer({ from: '', method: 'PUT', origin, target, headers, body });
  }
  const names = new Set(liars.map((liar) => liar.name));
  return network.interpose(name, (request, server) =>
    names.has(request.from) ? unreal.answer(request) : server.answer(request),
  );
}
