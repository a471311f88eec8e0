import { expect, it } from 'vitest';
import { LdesClient, type PrintedMember } from '../support/ldes-client.js';
import { waitFor } from '../support/wait-for.js';
import { type NetworkNode, networkNodes } from './adapters/in-process-node.js';

const uriOf = (name: string | number) => `https://c.example/${name}.js`;
const many = (count: number, label: string) =>
  Array.from({ length: count }, (_, i) => ({ uri: uriOf(`${label}${i}`), label }));

/** What a reader of members has who applies them in their order: the label of each component. */
function applied(members: readonly PrintedMember[]): Map<string, string> {
  const ordered = [...members].sort((one, other) => one.position - other.position);
  const labels = new Map<string, string>();
  for (const { type, uri, label } of ordered) {
    if (type === 'Delete') labels.delete(uri);
    else labels.set(uri, label);
  }
  return labels;
}

it('ldes-client, as npx runs it, replicates the feed and follows it: additions, updates, deletions', async () => {
  const [node] = (await networkNodes(1)) as [NetworkNode];
  await node.start({ limits: { batch: 10_000 } });
  // More than one node of the event stream has.
  await node.publish(...many(1030, 'first'));
  await node.unpublish(uriOf('first7'));
  const client = await LdesClient.start(`${node.url}/feed`, '--follow', '--poll-interval', '100');
  /** All that the node serves, and nothing else. */
  const isInStep = async () => {
    const served = await node.getJson<{ uri: string; label: string }[]>('/component');
    const wanted = JSON.stringify(served.map(({ uri, label }) => [uri, label]));
    return (
      JSON.stringify([...applied(client.members())].sort(([one], [other]) => (one < other ? -1 : 1))) ===
      wanted
    );
  };
  const arrived = async (type: string) =>
    waitFor(() => client.members().find((member) => member.type === type && member.uri === uriOf('new')), {
      describe: () => `${type}; ${client.complaints.join('; ')}`,
    });
  await waitFor(isInStep);
  expect(client.members().filter(({ type }) => type === 'Delete')).toHaveLength(1);

  await node.publish({ uri: uriOf('new'), label: 'New' });
  const added = await arrived('Create');
  await node.publish({ uri: uriOf('new'), label: 'Newer' }, { uri: uriOf('first8'), label: 'Eight' });
  const updated = await arrived('Update');
  await node.unpublish(uriOf('new'));
  const removed = await arrived('Delete');
  expect(new Set([added, updated, removed].map((member) => member?.versionOf)).size).toBe(1);
  expect(removed?.payload).toEqual([]);
  await node.publish(...many(250, 'more'));
  await waitFor(isInStep);
  expect(client.complaints).toEqual([]);
});
