import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SAMPLES } from '../../src/component/source.js';
import { Samples } from '../../src/demo/samples.js';
import { createDemoApp, type DemoApp, NODE } from '../support/demo-app.js';
import { TOP_FOLDER } from '../support/docs.js';
import { memoryRegistry, VOCABULARY } from '../support/registry.js';
import { component } from '../support/registry-app.js';

const URIS = ['profile-card', 'profile-form', 'shopping-list'].map((name) => `${NODE}/demo/${name}.js`);
const urisOf = async ({ app }: DemoApp) =>
  ((await (await app.request('/component')).json()) as { uri: string }[]).map(({ uri }) => uri);

/** The samples of a node that starts again on the same registry and folder. */
function restarted({ registry, dataDir }: DemoApp, write: 'off' | 'open', baseUrl = NODE) {
  return new Samples({
    config: { baseUrl, dataDir, write },
    vocabulary: VOCABULARY,
    registry,
    packageFolder: TOP_FOLDER,
  });
}

describe('the samples', () => {
  it('are listed while they are shown, marked in every form, and leave nothing behind', async () => {
    const demo = await createDemoApp();
    await demo.registry.upsertLocal([component('https://c.example/own.js', { label: 'Own' })]);
    await demo.samples.show();
    expect(await urisOf(demo)).toEqual([...URIS, 'https://c.example/own.js']);
    for (const { metadata } of demo.samples.shown?.all ?? []) {
      expect(metadata.tag).toContain('sample');
      expect(await demo.registry.catalog.statements(metadata.uri)).toMatchObject([
        { source: SAMPLES, document: SAMPLES.url },
      ]);
    }
    await demo.samples.remove();
    expect(await urisOf(demo)).toEqual(['https://c.example/own.js']);
    expect((await demo.registry.sources()).map(({ source }) => source.kind)).toEqual(['local']);
  });

  it('stand back behind whatever anybody else says of the same module', async () => {
    const demo = await createDemoApp();
    await demo.samples.show();
    await demo.say({ kind: 'peer', url: 'https://peer.example' }, [
      component(URIS[0] ?? '', { label: 'Theirs' }),
    ]);
    const [served, shadowed] = await demo.registry.catalog.statements(URIS[0] ?? '');
    expect([served?.metadata.label, shadowed?.source]).toEqual(['Theirs', SAMPLES]);
  });

  it('use the vocabulary of the node', async () => {
    const registry = await memoryRegistry();
    const vocabulary = { ...VOCABULARY, namespace: 'https://voc.example/#' };
    const samples = new Samples({
      config: { baseUrl: NODE, dataDir: '/nowhere', write: 'off' },
      ...{ vocabulary, registry, packageFolder: TOP_FOLDER },
    });
    await samples.open(true);
    expect(samples.shown?.all).toHaveLength(3);
    expect(samples.shown?.file('profile-card.ttl')?.text).toContain('<https://voc.example/#>');
  });

  it('can be shown and removed by several at once', async () => {
    const demo = await createDemoApp();
    await Promise.all([demo.samples.show(), demo.samples.remove(), demo.samples.show(), demo.samples.show()]);
    expect(await urisOf(demo)).toEqual(URIS);
  });
});

describe('after a restart', () => {
  it('what was shown is shown, with the data as it was changed, also at another address', async () => {
    const demo = await createDemoApp();
    await demo.samples.show();
    await demo.samples.shown?.data.write('ann.ttl', '<#me> a <urn:x>.', () => true);
    const samples = restarted(demo, 'open', 'http://localhost:4000');
    await samples.open(false);
    expect((await samples.shown?.data.read('ann.ttl'))?.text).toBe('<#me> a <urn:x>.');
    expect(await urisOf(demo)).toEqual(URIS.map((uri) => uri.replace(':3000', ':4000')));
  });

  it('what was removed stays away, until the operator wants it, as it came', async () => {
    const demo = await createDemoApp();
    await demo.samples.show();
    const original = await demo.samples.shown?.data.read('ann.ttl');
    await demo.samples.shown?.data.write('ann.ttl', '<#me> a <urn:x>.', () => true);
    await demo.samples.remove();
    await restarted(demo, 'open').open(false);
    expect(await urisOf(demo)).toEqual([]);
    const again = restarted(demo, 'open');
    await again.open(true);
    expect(await again.shown?.data.read('ann.ttl')).toEqual(original);
  });

  it('a node to which nobody may write shows them only when its operator wants them', async () => {
    const demo = await createDemoApp();
    await demo.samples.show();
    await restarted(demo, 'off').open(true);
    expect(await urisOf(demo)).toEqual(URIS);
    await restarted(demo, 'off').open(false);
    expect(await urisOf(demo)).toEqual([]);
  });
});

describe('the data', () => {
  it('that is left over from a removal that a crash broke off is not taken up', async () => {
    const demo = await createDemoApp();
    await mkdir(join(demo.dataDir, 'samples'), { recursive: true });
    await writeFile(join(demo.dataDir, 'samples', 'ann.ttl'), 'left over');
    await demo.samples.show();
    expect((await demo.samples.shown?.data.read('ann.ttl'))?.text).toContain('Ann Author');
    await demo.samples.remove();
    expect(existsSync(join(demo.dataDir, 'samples'))).toBe(false);
  });

  it('is a fixed set of documents', async () => {
    const demo = await createDemoApp();
    await demo.samples.show();
    for (const name of ['new.ttl', '../ann.ttl', 'ann.ttl.new', '__proto__']) {
      expect(await demo.samples.shown?.data.read(name)).toBeUndefined();
      expect(await demo.samples.shown?.data.write(name, 'x', () => true)).toBeUndefined();
    }
    expect(existsSync(join(demo.dataDir, 'samples'))).toBe(false);
  });
});
