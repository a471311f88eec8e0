import { beforeEach, describe, expect, it } from 'vitest';
import { type FakePeer, simple } from '../../support/peer/fake-peer.js';
import { polledPeer } from '../../support/peer/polled-peer.js';

const LONG_AGO = 'Thu, 02 Jan 2020 10:00:00 GMT';
const LATER = 'Fri, 03 Jan 2020 10:00:00 GMT';

describe('the components of a peer', () => {
  const { fresh, create, poll, served, say } = polledPeer();
  let peer: FakePeer;
  beforeEach(() => {
    ({ peer } = fresh);
  });
  /** The requests for components in one poll. */
  const asked = async () => {
    peer.seen();
    await poll();
    return peer.seen().filter((url) => url.startsWith('/component'));
  };
  const ALL = '/component?graphs=all&limit=1000';

  it('are asked for with all graphs, in one request', async () => {
    say('https://pod.example/x.ttl', simple('relayed'));
    say('urn:registry:peer:https%3A%2F%2Fp:urn%3Aregistry%3Alocal', simple('second-hand'));
    expect(await asked()).toEqual([ALL]);
    expect(await served()).toEqual(['relayed']);
    fresh.source = create();
    expect(await asked()).toEqual([ALL]);
  });

  it('are taken without what the peer says of pins, sources and trust: what this node says of these, it has found out itself', async () => {
    peer.dialect = 'plain';
    const claims = {
      source: { url: 'urn:registry:local', kind: 'local', trust: 'own' },
      since: '1999-01-01T00:00:00.000Z',
      pin: { integrity: `sha384-${'a'.repeat(64)}` },
    };
    peer.says({ ...simple('a'), ...claims });
    await poll();
    const [description] = await fresh.registry.everything();
    expect(description).toMatchObject({ source: { kind: 'peer', url: peer.url } });
    expect(description?.trust).not.toBe('own');
    expect(description?.pin).toBeUndefined();
    expect(await fresh.registry.pins.counts()).toEqual({ all: 0, changed: 0 });
  });

  it('are read with all graphs once a node of another make has become one of ours', async () => {
    peer.dialect = 'listing';
    peer.says(simple('own'));
    await poll();
    peer.dialect = 'n-quads';
    peer.says(simple('own'), simple('more'));
    expect(await asked()).toEqual(['/component', ALL]);
    expect(await asked()).toEqual([ALL]);
    expect(await served()).toEqual(['more', 'own']);
  });

  it('of a node of ours that answers without its graphs are not taken: all would seem to be its own words', async () => {
    peer.says(simple('own'));
    await poll();
    peer.parameters = 'refused';
    peer.says(simple('other'));
    expect(await poll()).toMatchObject({ ok: false, error: expect.stringContaining('who says what') });
    expect(await served()).toEqual(['own']);
  });

  it('are all read from a node that takes parameters for constraints', async () => {
    peer.dialect = 'listing';
    peer.parameters = 'constraints';
    peer.says(simple('own'));
    expect(await poll()).toMatchObject({ ok: true, added: 1 });
    peer.says(simple('other'));
    expect(await poll()).toMatchObject({ ok: true, added: 1, removed: 1 });
    peer.says();
    expect(await poll()).toMatchObject({ ok: true, removed: 1 });
  });

  it('of a node that is of another make move once, although two addresses are tried', async () => {
    peer.dialect = 'turtle';
    peer.says(simple('own'));
    await poll();
    peer.bodies();
    expect(await asked()).toEqual(['/component']);
    peer.says(simple('other'));
    expect(await asked()).toEqual(['/component']);
    expect(peer.bodies()).toBe(1);
  });
});

describe('a peer with dates and without entity tags', () => {
  const { fresh, create, poll, served } = polledPeer();
  let peer: FakePeer;
  beforeEach(() => {
    ({ peer } = fresh);
    peer.lastModified = LONG_AGO;
    peer.dialect = 'listing';
    peer.says(simple('a'));
    peer.peers = ['https://other.example'];
  });

  it('is asked with them, also after a restart, and moves no bodies while nothing changes', async () => {
    expect(await poll()).toMatchObject({ ok: true, added: 1 });
    fresh.source = create();
    peer.bodies();
    peer.server.requests.splice(0);
    expect(await poll()).toMatchObject({ ok: true });
    expect(peer.server.requests.map(({ headers }) => headers['if-modified-since'])).toEqual([
      LONG_AGO,
      LONG_AGO,
      LONG_AGO,
    ]);
    expect(peer.bodies()).toBe(0);
    expect(await served()).toEqual(['a']);
  });

  it('is not asked with the date of a change that has just happened, until that is past', async () => {
    peer.lastModified = new Date(Date.now() + 60_000).toUTCString();
    await poll();
    peer.says(simple('b'));
    expect(await poll()).toMatchObject({ ok: true, added: 1, removed: 1 });
    peer.lastModified = LATER;
    await poll();
    peer.bodies();
    await poll();
    expect(peer.bodies()).toBe(0);
  });
});
