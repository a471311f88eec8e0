import { describe, expect, it } from 'vitest';
import { type Leave, PeerNetworks, StreamShares } from '../../../src/http/feed/stream-shares.js';
import { VirtualClock } from '../../support/virtual-clock.js';

/** How many lines a reader gets that wants more than there are, when it takes another of these addresses each time. */
function most(shares: StreamShares, address: (i: number) => string | undefined): number {
  const places: Leave[] = [];
  for (let i = 0; i < 200; i++) {
    const place = shares.take(address(i));
    if (place) places.push(place);
  }
  for (const leave of places) leave();
  return places.length;
}

describe('StreamShares of 100 lines', () => {
  it.each([
    ['this machine', () => '127.0.0.1', 100],
    ['this machine by IPv6', () => '::1', 100],
    ['this process', () => undefined, 100],
    ['an address', () => '203.0.114.9', 10],
    ['an address that comes as one of IPv6', () => '::ffff:203.0.114.9', 10],
    ['an address in both spellings', (i: number) => (i % 2 === 0 ? '203.0.114.9' : '::ffff:cb00:7209'), 10],
    ['an IPv6 network', (i: number) => `2a00:1:2:3:${i.toString(16)}::1`, 10],
    ['one with zeros in its name, which are shortened', (i: number) => `2a00::${i.toString(16)}`, 10],
    ['an address of 6to4, which is not counted among the public ones', () => '2002:c000:204::1', 10],
    ['as many networks as there are', (i: number) => `2a00:0:0:${i.toString(16)}::1`, 90],
    ['as many addresses', (i: number) => `203.0.${i}.9`, 90],
    ['a proxy in a private network', () => '172.18.0.1', 90],
    ['one that reaches it by IPv6', () => '::ffff:172.18.0.1', 90],
  ])('%s', (_, address, expected) => {
    const shares = new StreamShares({ most: 100 });
    expect(most(shares, address)).toBe(expected);
    // And once more: what is left is given back.
    expect(most(shares, address)).toBe(expected);
  });

  it('keeps room for this machine and configured peers', () => {
    const shares = new StreamShares({ most: 100, isPeer: (network) => network === '198.51.101.7' });
    for (let i = 0; i < 200; i++) shares.take(`203.0.${i}.9`);
    expect(shares.take('198.51.101.8')).toBeUndefined();
    for (let i = 0; i < 5; i++) {
      expect(shares.take('::ffff:198.51.101.7')).toBeDefined();
      expect(shares.take('127.0.0.1')).toBeDefined();
    }
    expect(shares.take('127.0.0.1')).toBeUndefined();
  });

  it.each([
    [0, 0],
    [1, 1],
    [5, 1],
  ])('of %i lines an address has %i', (all, expected) => {
    expect(most(new StreamShares({ most: all }), () => '203.0.114.9')).toBe(expected);
  });
});

describe('PeerNetworks', () => {
  it('knows the addresses of peers by their names, and follows these', async () => {
    const clock = new VirtualClock();
    let addresses = ['203.0.114.1', '2a00:1:2:3::4'];
    const lookup = async (host: string) => {
      if (host === 'gone.example') throw new Error('no such name');
      if (host !== 'peer.example') return [{ address: host, family: 4 }];
      return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    };
    const peers = ['https://peer.example/', 'http://gone.example/', 'http://[2a00:9::1]:3000/'];
    const known = new PeerNetworks(
      peers.map((url) => ({ url })),
      { lookup, clock },
    );
    const networks = ['203.0.114.1', '2a00:1:2:3::/64', '2a00:9:0:0::/64', '203.0.114.2'];
    const ask = async () => {
      networks.map(known.has);
      await new Promise((resolve) => setImmediate(resolve));
      return networks.map(known.has);
    };
    expect(await ask()).toEqual([true, true, true, false]);
    addresses = ['203.0.114.2'];
    expect(await ask()).toEqual([true, true, true, false]);
    clock.pass(10 * 60_000);
    expect(await ask()).toEqual([false, false, true, true]);
  });
});
