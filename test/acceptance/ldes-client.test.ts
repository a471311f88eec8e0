import { beforeAll, describe, expect, it } from 'vitest';
import { LdesClient, type PrintedMember } from '../support/ldes-client.js';
import { waitFor } from '../support/wait-for.js';
import type { NetworkNode } from './adapters/network-node.js';
import { networkNodes } from './adapters/network-node.js';

const uriOf = (name: string | number) => `https://c.example/${name}.js`;
const many = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ uri: uriOf(i), label: `Label ${i}` }));

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

describe('ldes-client, as npx runs it', () => {
  let node: NetworkNode;
  const served = async () =>
    new Map(
      (await node.json<{ uri: string; label: string }[]>('/component')).map(({ uri, label }) => [uri, label]),
    );

  beforeAll(async () => {
    [node] = (await networkNodes(1)) as [NetworkNode];
    await node.start({ limits: { batch: 10_000 } });
    // More than one node of the event stream has.
    await node.publish(...many(1030));
    await node.unpublish(uriOf(7));
  });

  it.each([
    ['as they come', []],
    ['the latest versions alone', ['--last-version-only']],
  ])('replicates the feed: members %s', async (_, options) => {
    const client = await LdesClient.start(`${node.url}/feed`, ...options);
    await client.ended();
    expect(client.complaints).toEqual([]);
    expect(applied(client.members())).toEqual(await served());
    expect(client.members().filter(({ type }) => type === 'Delete')).toHaveLength(1);
  });

  it('follows it: additions, updates, deletions', async () => {
    const client = await LdesClient.start(`${node.url}/feed`, '--follow', '--poll-interval', '100');
    const arrived = async (type: string, uri: string) =>
      waitFor(() => client.members().find((member) => member.type === type && member.uri === uri), {
        describe: () => `${type} of ${uri}; ${client.complaints.join('; ')}`,
      });
    await waitFor(() => client.members().length >= 1030);

    await node.publish({ uri: uriOf('new'), label: 'New' });
    const added = await arrived('Create', uriOf('new'));
    await node.publish({ uri: uriOf('new'), label: 'Newer' }, { uri: uriOf(8), label: 'Eight' });
    const updated = await arrived('Update', uriOf('new'));
    await node.unpublish(uriOf('new'));
    const removed = await arrived('Delete', uriOf('new'));
    expect(new Set([added, updated, removed].map((member) => member?.versionOf)).size).toBe(1);
    expect(removed?.payload).toEqual([]);

    await node.publish(...Array.from({ length: 250 }, (_, i) => ({ uri: uriOf(`more${i}`), label: 'more' })));
    await waitFor(async () => applied(client.members()).size === (await served()).size);
    expect(applied(client.members())).toEqual(await served());
    expect(client.complaints).toEqual([]);
  });
});
