import { pick } from '../time/substream.js';
import type { HappeningKind, Stage } from './happening.js';
import type { SimulatedPod } from './world.js';

/** What authors and users do every day. */
export const CHANGES: readonly HappeningKind[] = [
  {
    name: 'edit',
    shows: 'an author edits a document',
    async begin(stage, random) {
      const pod = pick(random, stage.world.pods);
      const document = pick(random, [...pod.author.documents, newDocument(pod, random)]);
      return write(stage, pod, document);
    },
  },
  {
    name: 'add',
    shows: 'an author adds a document',
    async begin(stage, random) {
      const pod = pick(random, stage.world.pods);
      return write(stage, pod, newDocument(pod, random));
    },
  },
  {
    name: 'delete',
    shows: 'an author deletes a document',
    async begin(stage, random) {
      const pod = pick(random, stage.world.pods);
      if (pod.author.documents.length < 2) return write(stage, pod, newDocument(pod, random));
      const document = pick(random, pod.author.documents);
      await pod.author.erase(document);
      stage.spread.changed(pod.url, document, undefined);
      return { what: `${document} is deleted` };
    },
  },
  {
    name: 'post',
    shows: 'somebody posts a component to a node, or takes one back',
    async begin({ world }, random) {
      const node = pick(random, world.nodes);
      const posted = [...(world.truth.posted.get(node.url)?.keys() ?? [])];
      const uri = pick(random, [...posted, newUri(random)]);
      const isTakenBack = posted.includes(uri) && random() < 0.5;
      const label = `posted at ${world.elapsed}`;
      const isDone = await (isTakenBack ? world.unpost(node, uri) : world.post(node, { uri, label }));
      if (!isDone) return { what: `nobody can post to ${node.name}` };
      return {
        what: isTakenBack ? `${uri} is taken back from ${node.name}` : `${uri} is posted to ${node.name}`,
      };
    },
  },
];

/** An author writes a document, about the same component as before where no other is named. */
export async function write({ spread, world }: Stage, pod: SimulatedPod, document: string, uri?: string) {
  await pod.author.write(document, uri);
  spread.changed(pod.url, document, world.truth.pods.get(pod.url)?.get(document)?.label);
  return { what: `${document} is written` };
}

function newDocument({ url }: SimulatedPod, random: () => number): string {
  return `${url}more-${Math.floor(random() * 1000)}.ttl`;
}

function newUri(random: () => number): string {
  return `https://modules.example/posted/more-${Math.floor(random() * 1000)}.js`;
}
