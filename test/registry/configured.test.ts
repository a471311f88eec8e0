import { beforeEach, describe, expect, it } from 'vitest';
import { type MemoryData, openMemory } from '../../src/keep/memory/memory-keep.js';
import { systemClock } from '../../src/lib/clock.js';
import { openConfiguredRegistry } from '../../src/registry/open-registry.js';
import { parse } from '../acceptance/adapters/parsed-config.js';
import { memoryData, named, openRegistry, registryOptions } from '../support/registry.js';
import { PEER, POD_A, POD_B } from './sources.js';

/** What a start changes, so that all is shown as it is configured (design, section 5). */

const OTHER = 'https://other.example';
const SOURCES = { pods: [POD_A.url, POD_B.url], peers: [PEER.url, OTHER] };

let data: MemoryData;

async function start(config: object, version = '1.0.0') {
  const keep = await openMemory(data, { clock: systemClock }).keep('registry');
  const options = { ...registryOptions(), version };
  return openConfiguredRegistry(keep, parse({ ...SOURCES, ...config }), options);
}

/** Where a registry stands after such a start. */
async function stateAfter(config: object, version?: string) {
  const { registry, catalog } = await start(config, version);
  const { revision, feed } = await catalog.state();
  await registry.close();
  const ranks = feed.sources.map(({ source, rank }) => [source.url, rank]);
  const told = Math.max(...feed.sources.map(({ position }) => position));
  const { position } = feed;
  return { number: revision.number, position, told, ranks: new Map(ranks as [string, number][]) };
}

beforeEach(async () => {
  data = memoryData();
  const node = await openRegistry(openMemory(data, { clock: systemClock }));
  for (const source of [POD_A, POD_B, PEER]) await node.say(source, named('a'));
  await node.close();
  await stateAfter({});
});

describe('a start', () => {
  it.each<
    [what: string, config: object, isShownOtherwise: boolean, isOrderedOtherwise: boolean, version?: string]
  >([
    ['the same configuration', {}, false, false],
    ['another address', { baseUrl: 'https://base.example' }, true, false],
    ['another vocabulary', { vocabulary: `${OTHER}/voc#` }, true, false],
    ['another order of pods', { pods: [POD_B.url, POD_A.url] }, true, true],
    ['one pod less', { pods: [POD_A.url] }, true, true],
    ['another order of peers', { peers: [OTHER, PEER.url] }, true, true],
    ['what shows nothing', { log: { level: 'debug' } }, false, false],
    ['another release', {}, true, false, '2.0.0'],
  ])(
    'with %s moves the revision where something is shown otherwise',
    async (_, config, isShown, isOrdered, version) => {
      const before = await stateAfter({});
      const after = await stateAfter(config, version);
      expect(after.number > before.number).toBe(isShown);
      expect(after.position > before.position).toBe(isOrdered);
      const rankOf = ({ ranks }: typeof after) => [POD_A, POD_B, PEER].map(({ url }) => ranks.get(url));
      expect(JSON.stringify(rankOf(after)) !== JSON.stringify(rankOf(before))).toBe(isOrdered);
      // Readers of the feed are told of it where they are then.
      if (isOrdered) expect(after.told).toBe(after.position);
      // It is stored: another start moves nothing.
      expect(await stateAfter(config, version)).toEqual(after);
    },
  );

  it('as a mirror is refused where something was posted to the node, and leaves everything as it is', async () => {
    const { registry } = await start({});
    await registry.commitOwn({ put: named('mine') });
    await registry.close();
    await expect(start({ mode: 'mirror', pods: [] })).rejects.toThrow(
      'holds 1 components that were posted to this node',
    );
    await expect(start({})).resolves.toBeDefined();
  });
});
