import { describe, expect, it } from 'vitest';
import type { Traffic } from '../../../scripts/simulate/network/hosts.js';
import { OpenStream } from '../../../scripts/simulate/network/open-line.js';
import { VirtualNetwork } from '../../../scripts/simulate/network/virtual-network.js';
import { ChangingWeather, NO_TROUBLES } from '../../../scripts/simulate/network/weather.js';
import type { WireAnswer } from '../../../scripts/simulate/network/wire.js';
import { Notifications } from '../../../scripts/simulate/pods/notifications.js';
import { Life } from '../../../scripts/simulate/time/life.js';
import { NodeClock } from '../../../scripts/simulate/time/node-clock.js';
import { VirtualTime } from '../../../scripts/simulate/time/virtual-time.js';
import type { Trust } from '../../../src/lib/fetch/guarded-fetch.js';
import { createGuardedFetch } from '../../../src/lib/fetch/guarded-fetch.js';
import { seededRandom } from '../../support/seeded-random.js';

const MINUTE = 60_000;

/** A guarded fetch on a virtual network with one server, which answers with 1,000 bytes. */
function virtualFetch(answer?: WireAnswer) {
  const time = new VirtualTime();
  const dialled: string[] = [];
  const traffic: Traffic[] = [];
  const weather = new ChangingWeather(seededRandom(1));
  const network = new VirtualNetwork(time, weather, {
    dialled: (_, host) => dialled.push(host),
    exchanged: (one) => traffic.push(one),
    carried: () => undefined,
  });
  for (const [name, address] of [
    ['reader.example', '45.1.0.1'],
    ['open.example', '46.1.0.1'],
    ['inside.example', '10.0.0.1'],
  ] as const) {
    network.addHost(name, address);
    network.attach(name, {
      answer: async () => answer ?? { status: 200, headers: {}, body: new Uint8Array(1000) },
    });
  }
  const fetch = createGuardedFetch({
    ...{ userAgent: 'test', allowPrivate: false, maxBytes: 10_000, timeoutMs: 30_000 },
    ...{ lookup: network.lookup, transport: network.transportOf('reader.example', new Life()) },
    clock: new NodeClock(time, new Life()),
  });
  const begin = (host: string, trust: Trust = 'learned') => {
    const read = fetch(`https://${host}/`, { trust }).then(async (one) => (await one.bytes()).length);
    return read.catch((error) => (error as { reason: string }).reason);
  };
  /** What came of a request, and after how many virtual ms. */
  const read = async (host: string, trust?: Trust) => {
    const began = time.now;
    const outcome = begin(host, trust).then((result) => ({ result, ms: time.now - began }));
    await time.runUntil(began + MINUTE);
    return outcome;
  };
  return { time, weather, network, dialled, traffic, fetch, begin, read };
}

describe('the virtual network', () => {
  it('takes the time of a way there and back, and counts what goes over it', async () => {
    const { read, traffic } = virtualFetch();
    const { result, ms } = await read('open.example');
    expect(result).toBe(1000);
    expect(ms).toBeGreaterThan(9);
    expect(ms).toBeLessThan(200);
    expect(traffic).toMatchObject([{ to: 'open.example', status: 200, bodyBytes: 1000 }]);
  });

  it('leaves the checks of addresses to the guarded fetch', async () => {
    const { read, dialled } = virtualFetch();
    expect(await read('inside.example')).toMatchObject({ result: 'refused' });
    expect(await read('10.0.0.1')).toMatchObject({ result: 'refused' });
    expect(dialled).toEqual([]);
    expect(await read('inside.example', 'configured')).toMatchObject({ result: 1000 });
    expect(dialled).toEqual(['inside.example']);
    expect(await read('nobody.example')).toMatchObject({ result: 'unresolved' });
  });

  it.each([
    ['lost', 'timeout', 30_000],
    ['reset', 'connection', undefined],
    ['cut', 'truncated', undefined],
  ] as const)('can have everything %s', async (trouble, reason, ms) => {
    const { read, weather } = virtualFetch();
    weather.trouble({ ...NO_TROUBLES, [trouble]: 1 });
    const outcome = await read('open.example');
    expect(outcome.result).toBe(reason);
    if (ms) expect(outcome.ms).toBe(ms);
  });

  it('cuts islands off, and lets them come back', async () => {
    const { read, weather } = virtualFetch();
    const heal = weather.cutOff(new Set(['open.example']));
    expect(await read('open.example')).toMatchObject({ result: 'timeout' });
    heal();
    expect(await read('open.example')).toMatchObject({ result: 1000 });
  });

  it('resets what is under way with a machine that vanishes, and refuses what comes later', async () => {
    const { read, begin, network, time } = virtualFetch();
    const underWay = begin('open.example');
    network.detach('open.example');
    await time.runUntil(time.now + MINUTE);
    expect(await underWay).toBe('connection');
    expect(await read('open.example')).toMatchObject({ result: 'connection' });
  });

  it('keeps lines open, in order, until one side ends them; a dead line tells nobody', async () => {
    const topic = 'https://open.example/';
    const notifications = new Notifications({ root: topic, now: () => 0 });
    const { fetch, time, network, weather } = virtualFetch(notifications.open(topic, '"1"'));
    const pieces: string[] = [];
    const reading = fetch(topic, { trust: 'learned', timeoutMs: 60 * MINUTE })
      .then(async ({ body }) => {
        for await (const piece of body) pieces.push(Buffer.from(piece).toString());
      })
      .catch((error) => (error as { reason: string }).reason);
    const pass = () => time.runUntil(time.now + 1000);
    for (const tag of ['"2"', '"3"']) notifications.tell(topic, 'Update', tag);
    await pass();
    expect(pieces.map((text) => /\\"(\d)\\"/.exec(text)?.[1])).toEqual(['1', '2', '3']);
    const heal = weather.cutOff(new Set(['open.example']));
    network.silenceSeparated();
    heal();
    notifications.tell(topic, 'Update', '"4"');
    await pass();
    expect(pieces.length).toBe(3);
    network.detach('open.example');
    await pass();
    expect(await reading).toBe('truncated');
  });

  it('tells nobody how a dead line ends', async () => {
    const line = new OpenStream(() => undefined);
    line.send(Buffer.from('one'));
    const { fetch, time, network, weather } = virtualFetch({ status: 200, headers: {}, body: line });
    const pieces: string[] = [];
    const reading = fetch('https://open.example/', { trust: 'learned', timeoutMs: 5 * MINUTE })
      .then(async ({ body }) => {
        for await (const piece of body) pieces.push(Buffer.from(piece).toString());
      })
      .catch((error) => (error as { reason: string }).reason);
    await time.runUntil(time.now + 1000);
    expect(pieces).toEqual(['one']);
    weather.cutOff(new Set(['open.example']));
    network.silenceSeparated();
    line.end();
    await time.runUntil(time.now + 10 * MINUTE);
    expect(await reading).toBe('timeout');
  });
});
