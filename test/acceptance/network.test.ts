import { describe, expect, test } from 'vitest';
import { cleanup } from '../support/cleanup.js';
import { fakeServer } from '../support/fake-server.js';
import { FakePod, turtle } from '../support/pod/fake-pod.js';
import { converge, type NetworkNode, type NodeSettings, networkNodes } from './adapters/network-node.js';

async function fakePod(...names: string[]): Promise<{ pod: FakePod; url: string }> {
  const server = await fakeServer();
  cleanup(() => server.close());
  const pod = new FakePod(server);
  for (const name of names) pod.put(`/pod/${name}.ttl`, turtle(name));
  return { pod, url: server.url('/pod/') };
}

/** Starts nodes, each with the peers (by place) and the settings that it is given. */
async function startNetwork<
  const Plan extends readonly { peers: readonly number[]; settings?: NodeSettings }[],
>(plan: Plan): Promise<{ [Place in keyof Plan]: NetworkNode }> {
  const nodes = await networkNodes(plan.length);
  for (const [i, { peers, settings }] of plan.entries()) {
    await nodes[i]?.start({ peers: peers.map((peer) => nodes[peer]?.url), ...settings });
  }
  return nodes as { [Place in keyof Plan]: NetworkNode };
}

describe('what an operator sees of the network', () => {
  test('on the page, in the status and in the metrics: who is known, from whom, and how it goes', async () => {
    const { pod, url } = await fakePod('one');
    const [a, b, c] = await startNetwork([
      { peers: [1] },
      { peers: [2] },
      { peers: [], settings: { pods: [url] } },
    ]);
    await converge([c, b, a]);
    pod.server.everything({ status: 500 });
    await a.sync();

    const page = (await a.text('/network', 'text/html')).replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
    expect(page).toContain(`peer ${b.url} why? ok Poll it now 0 components known by configuration`);
    expect(page).toContain(`peer ${c.url} why? ok Poll it now 0 components known by 1 hop via ${b.url}`);
    expect(page).toContain(`pod ${url} why? failing since`);
    expect(page).toMatch(new RegExp(`1 component .*known by 2 hops via ${b.url}, ${c.url}`));
    expect(page).toContain('answers 500');

    expect(await a.source(url)).toMatchObject({
      configured: false,
      hops: 2,
      via: [b.url, c.url],
      state: 'failing',
      components: 1,
    });

    const metrics = await a.text('/metrics', '*/*');
    const figure = (name: string, labels: string) =>
      metrics.match(new RegExp(`^${name}{${labels}} (.*)$`, 'm'))?.[1];
    expect(figure('registry_source_hops', `kind="pod",url="${url}"`)).toBe('2');
    expect(figure('registry_source_hops', `kind="peer",url="${b.url}"`)).toBe('0');
    expect(figure('registry_source_consecutive_failures', `kind="pod",url="${url}"`)).toBe('1');
    expect(
      Number(figure('registry_source_next_attempt_timestamp_seconds', `kind="pod",url="${url}"`)),
    ).toBeGreaterThan(Date.now() / 1000);
    expect(figure('registry_poll_duration_seconds_count', 'kind="pod",result="failed"')).toBe('1');
    expect(figure('registry_poll_changes_total', 'kind="pod",change="added"')).toBe('1');
  });
});
