import { beforeEach, describe, expect, it } from 'vitest';
import { LOCAL } from '../../src/component/source.js';
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

/** The revision of a registry after such a start. */
async function revisionAfter(config: object, version?: string): Promise<number> {
  const { registry, catalog } = await start(config, version);
  const { revision } = await catalog.state();
  await registry.close();
  return revision.number;
}

beforeEach(async () => {
  data = memoryData();
  const node = await openRegistry(openMemory(data, { clock: systemClock }));
  for (const source of [POD_A, POD_B, PEER]) await node.say(source, named('a'));
  await node.close();
  await revisionAfter({});
});

describe('a start', () => {
  it.each<[what: string, config: object, isShownOtherwise: boolean, version?: string]>([
    ['the same configuration', {}, false],
    ['another address', { baseUrl: 'https://base.example' }, true],
    ['another vocabulary', { vocabulary: `${OTHER}/voc#` }, true],
    ['another order of pods', { pods: [POD_B.url, POD_A.url] }, true],
    ['one pod less', { pods: [POD_A.url] }, true],
    ['another order of peers', { peers: [OTHER, PEER.url] }, true],
    ['what shows nothing', { log: { level: 'debug' } }, false],
    ['another release', {}, true, '2.0.0'],
  ])('with %s moves the revision where something is shown otherwise', async (_, config, isShown, version) => {
    const before = await revisionAfter({});
    const after = await revisionAfter(config, version);
    expect(after > before).toBe(isShown);
    // It is stored: another start moves nothing.
    expect(await revisionAfter(config, version)).toBe(after);
  });

  it('as a mirror is refused where something was posted to the node, and leaves everything as it is', async () => {
    const { registry } = await start({});
    await registry.commitOwn({ put: named('mine') });
    await registry.close();
    const before = await revisionAfter({});
    const asMirror = () => start({ mode: 'mirror', pods: [] });
    await expect(asMirror()).rejects.toThrow('holds 1 components that were posted to this node');
    expect(await revisionAfter({})).toBe(before);
    // Its quads still say what was posted.
    const keep = await openMemory(data, { clock: systemClock }).keep('registry');
    const key = `${LOCAL.kind} ${LOCAL.url}`;
    for await (const { table, rows } of keep.rows(['document', 'statement'])) {
      const lost = rows
        .filter((row) => row.key.startsWith(key))
        .map((row) => ({ table, key: row.key, value: undefined }));
      await keep.exclusively(async () => ({ rows: lost, result: undefined }));
    }
    await expect(asMirror()).rejects.toThrow('holds 1 components');
  });
});
