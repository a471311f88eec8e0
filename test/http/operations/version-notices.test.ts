import { beforeEach, describe, expect, it } from 'vitest';
import type { Catalog } from '../../../src/catalog/catalog.js';
import type { Metadata } from '../../../src/component/metadata.js';
import { createVersionNotices } from '../../../src/http/operations/version-notices.js';
import { withoutPause } from '../../../src/lib/pace.js';
import { component, createTestApp, type TestApp } from '../../acceptance/adapters/registry-app.js';

const ANN = { kind: 'pod', url: 'https://ann.example/components/' } as const;
const EVE = { kind: 'pod', url: 'https://eve.example/components/' } as const;

let test: TestApp;
beforeEach(async () => {
  test = await createTestApp();
});
const version = (label: string, of: string, latest?: boolean): Metadata =>
  component(`https://c.example/${label}@${of}.js`, {
    label,
    version: of,
    ...(latest === undefined ? {} : { latest }),
  });
const versionsInStatus = async () =>
  (
    (await (await test.app.request('/status')).json()) as {
      versions: { notices: { notice: string }[]; others: number };
    }
  ).versions;
const notices = async () => (await versionsInStatus()).notices.map(({ notice }) => notice);

describe('the status notices', () => {
  it('several versions of one component that say they are the latest', async () => {
    await test.say(ANN, [
      version('card', '1.0.0', true),
      version('card', '2.0.0', true),
      version('list', '1.0.0', true),
    ]);
    expect(await versionsInStatus()).toEqual({
      notices: [
        {
          label: 'card',
          notice: '2 versions of card say that they are the latest: 1.0.0, 2.0.0',
          uris: ['https://c.example/card@1.0.0.js', 'https://c.example/card@2.0.0.js'],
        },
      ],
      others: 0,
    });
  });

  it.each([
    ['none of them', [version('card', '1.0.0', false), version('card', '2.0.0', false)]],
    ['none that says it', [version('card', '1.0.0'), version('card', '2.0.0')]],
    ['a single one that is not', [version('card', '1.0.0', false)]],
  ])('versions of which %s is the latest', async (_, components) => {
    await test.say(ANN, components);
    expect(await notices()).toEqual(['no version of card says that it is the latest']);
  });

  it('the same on the page for operators', async () => {
    await test.say(ANN, [version('card', '1.0.0', false)]);
    const page = await (await test.app.request('/network', { headers: { accept: 'text/html' } })).text();
    expect(page).toContain('no version of card says that it is the latest');
  });

  it('nothing of versions with one latest, nor of a component that does not say', async () => {
    await test.say(ANN, [
      version('card', '1.0.0', false),
      version('card', '2.0.0', true),
      version('list', '1.0.0'),
    ]);
    expect(await notices()).toEqual([]);
  });

  it('nothing of components of others that have the same label', async () => {
    await test.say(ANN, [version('card', '1.0.0', true)]);
    await test.say(EVE, [version('card', '9.0.0', true)]);
    expect(await notices()).toEqual([]);
  });

  it('what is new, and names some of many', async () => {
    await test.say(ANN, [version('card', '1.0.0', true)]);
    expect(await notices()).toEqual([]);
    const many = Array.from({ length: 30 }, (_, i) => version(`card${i}`, '1.0.0', false));
    await test.say(ANN, many);
    const { notices: named, others } = await versionsInStatus();
    expect([named.length, others]).toEqual([20, 10]);
  });
});

describe('of very many components', () => {
  /** Counts how often all are looked through. */
  function counted(catalog: Catalog, components: number) {
    let passes = 0;
    const counting: Pick<Catalog, 'state' | 'page'> = {
      state: async () => ({ ...(await catalog.state()), components }),
      page: (query) => {
        passes += 1;
        return catalog.page(query);
      },
    };
    return { catalog: { ...catalog, ...counting } as Catalog, passes: () => passes };
  }
  const clock = { now: () => test.node.now, sleep: () => Promise.resolve() };

  it('the result is kept for a minute, and shared by requests that come together', async () => {
    const look = createVersionNotices(clock, withoutPause);
    const { catalog, passes } = counted(test.registry.catalog, 3000);
    await Promise.all([look(catalog), look(catalog)]);
    await test.say(ANN, [version('card', '1.0.0', false)]);
    expect((await look(catalog))?.notices).toEqual([]);
    expect(passes()).toBe(1);
    test.node.now += 60_000;
    expect((await look(catalog))?.notices).toHaveLength(1);
  });

  it('there is none when that would take too much memory', async () => {
    const { catalog, passes } = counted(test.registry.catalog, 300_000);
    expect(await createVersionNotices(clock, withoutPause)(catalog)).toBeUndefined();
    expect(passes()).toBe(0);
  });
});
