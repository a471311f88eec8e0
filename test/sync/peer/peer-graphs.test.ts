import { beforeEach, describe, expect, it } from 'vitest';
import { inTurtle } from '../../support/fake-server.js';
import { type FakePeer, simple } from '../../support/peer/fake-peer.js';
import { polledPeer } from '../../support/peer/polled-peer.js';
import { VOCABULARY } from '../../support/registry.js';

describe('a peer', () => {
  const { fresh, create, poll, served, stored, say } = polledPeer();
  let peer: FakePeer;
  beforeEach(() => {
    ({ peer } = fresh);
  });

  it('speaks for itself and for pods that only it reads, and for nobody else', async () => {
    fresh.pods = ['https://mine.example/pod/', 'https://doc.example/d.ttl'];
    peer.says(simple('own'));
    say('https://theirs.example/pod/x.ttl', simple('relayed'));
    say('https://mine.example/pod/x.ttl', simple('covered'));
    say('https://mine.example/podium.ttl', simple('beside'));
    say('https://doc.example/d.ttl', simple('covered-too'));
    say('urn:registry:peer:https%3A%2F%2Fp:urn%3Aregistry%3Alocal', simple('second-hand'));
    say('urn:other', simple('strange'));
    await poll();
    expect(await served()).toEqual(['beside', 'own', 'relayed']);
  });

  it('whose documents this node drops, because it reads them itself, is not held for that', async () => {
    say('https://pod.example/x.ttl', ...Array.from({ length: 50 }, (_, i) => simple(`x${i}`)));
    peer.says(simple('a'));
    await poll();
    fresh.pods = ['https://pod.example/'];
    peer.says(simple('b'));
    const report = await poll();
    expect(report).toMatchObject({ ok: true, removed: 51, added: 1 });
    expect(report).not.toHaveProperty('held', expect.anything());
  });

  it('names what is invalid, and takes the rest', async () => {
    peer.says(simple('a'), { ...simple('b'), label: '' });
    expect(await poll()).toMatchObject({ ok: true, added: 1 });
    const [document] = (await stored())?.documents.values() ?? [];
    expect(document?.invalid).toEqual([
      { subject: 'https://c.example/b.js', reasons: [expect.stringContaining('label')] },
    ]);
  });

  it('that names too many documents is not taken at all', async () => {
    peer.says(simple('a'));
    await poll();
    for (let i = 0; i < 6; i++) say(`https://pod.example/${i}`, simple(`x${i}`));
    fresh.source = create(5);
    expect(await poll()).toMatchObject({ ok: false, error: expect.stringContaining('sync.maxDocuments') });
    expect(await served()).toEqual(['a']);
  });

  it('that lists more than is kept is taken in part, and what it deletes goes', async () => {
    let maxComponents = 3;
    const names = ['a', 'b', 'c', 'd', 'e'];
    peer.says(...names.map((name) => simple(name)));
    expect(await poll({ maxComponents })).toMatchObject({ ok: true, added: 3 });
    expect(await served()).toEqual(['a', 'b', 'c']);
    expect([...((await stored())?.documents.values() ?? [])]).toMatchObject([{ omitted: 2 }]);
    peer.says(...names.slice(1).map((name) => simple(name)));
    await poll({ maxComponents });
    expect(await served()).toEqual(['b', 'c', 'd']);
    maxComponents = 10;
    await poll({ maxComponents });
    expect(await served()).toEqual(['b', 'c', 'd', 'e']);
    peer.seen();
    await poll();
    expect((await stored())?.documents.values().next().value).not.toHaveProperty(
      'omitted',
      expect.anything(),
    );
  });

  it('that is mirrored by its listing is shown as what it says of itself; a node that says nothing of that, as learned', async () => {
    fresh.mode = 'mirror';
    fresh.source = create();
    const stranger = 'https://stranger.example/x.ttl';
    const listed = `<${VOCABULARY.network.storage}> <https://pod.example/>, <${stranger}>`;
    peer.faults.set('/storage', inTurtle(`<${peer.url}> a <${VOCABULARY.network.node}>; ${listed}.`));
    peer.says(simple('own'));
    say('https://pod.example/x.ttl', simple('pod'));
    say('https://unlisted.example/x.ttl', simple('unlisted'));
    await poll();
    const shown = async () =>
      Object.fromEntries(
        (await fresh.registry.everything()).map(({ metadata, source, trust }) => [
          metadata.label,
          `${source.kind} ${trust}`,
        ]),
      );
    expect(await shown()).toEqual({
      own: 'local configured',
      pod: 'pod configured',
      unlisted: 'pod learned',
    });
    peer.dialect = 'plain';
    await poll();
    expect(await shown()).toEqual({ own: 'peer learned' });
  });
});
