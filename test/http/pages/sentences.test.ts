import { describe, expect, test } from 'vitest';
import { parseRdf } from '../../../src/component/rdf/rdf-parse.js';
import { LOCAL, SAMPLES, type Source } from '../../../src/component/source.js';
import { NO_NETWORK } from '../../../src/core/network-lists.js';
import { precedenceOf } from '../../../src/core/precedence.js';
import { REFUSAL_REASONS } from '../../../src/core/take.js';
import { REFUSAL_ADVICE } from '../../../src/explain/refusal.js';
import type { Rehearsal } from '../../../src/explain/rehearsal.js';
import { rehearsalText } from '../../../src/explain/rehearsal-text.js';
import { type SourceStatus, sourceStatuses } from '../../../src/explain/source-status.js';
import { browse } from '../../support/explorer-pages.js';
import { component, createTestApp, type TestApp, VOC } from '../../support/registry-app.js';
import { blocksOf, stumblesIn } from '../../support/sentences.js';

const POD: Source = { kind: 'pod', url: 'https://pod.example/' };
const PEER: Source = { kind: 'peer', url: 'https://peer.example' };
const HOUR = 3_600_000;

const times = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

/** A source that has as many of everything. */
function status(source: Source, n: number, more: Partial<SourceStatus> = {}): SourceStatus {
  return {
    ...source,
    ...{ configured: false, hops: n, via: times(n, (i) => `https://via${i}.example`), state: 'limited' },
    ...{ failures: n, components: n, documents: n, omitted: { components: n, documents: n } },
    failing: times(n, (i) => ({ url: `https://pod.example/f${i}.ttl`, error: 'it answers 500' })),
    invalid: times(n, (i) => ({
      document: POD.url,
      subject: `https://c.example/x${i}.js`,
      reasons: ['no label'],
    })),
    ...{ refused: n, shrink: { since: HOUR, polls: n, from: 40, to: n }, lastSuccess: HOUR },
    ...more,
  };
}

/** A node that has as many of everything as can be had of it. */
async function nodeWith(n: number): Promise<TestApp> {
  const precedence = precedenceOf({ pods: [POD.url], peers: [PEER.url] });
  const app = await createTestApp({}, {}, { precedence });
  const shapes = ['http://xmlns.com/foaf/0.1/Person'];
  const card = (name: string, version: string) =>
    component(`https://c.example/${name}.js`, {
      label: 'Card',
      version,
      shapes,
      tag: ['card'],
      author: ['Ann'],
    });
  await app.registry.upsertLocal(times(n, (i) => card(`own${i}`, `1.${i}.0`)));
  await app.say(
    POD,
    times(n, (i) => card(`pod${i}`, `1.${i}.0`)),
  );
  await app.say(PEER, [card('peer', '1.0.0'), card('pod0', '2.0.0')]);
  await app.say(SAMPLES, [card('sample', '1.0.0')]);
  app.node.status = [
    status(LOCAL, n, {
      state: 'ok',
      failing: [],
      invalid: [],
      omitted: undefined,
      refused: 0,
      shrink: undefined,
    }),
    status(POD, n),
    status(PEER, n, { state: 'held' }),
    status({ kind: 'pod', url: 'https://fails.example/' }, n, { state: 'failing', failingSince: HOUR }),
  ];
  app.node.refusals = {
    counts: Object.fromEntries(REFUSAL_REASONS.map((reason) => [reason, n])),
    unintendedBy: { [PEER.url]: n },
    examples: REFUSAL_REASONS.map((reason) => ({
      url: `https://${reason}.example/`,
      kind: 'pod',
      reason,
      via: PEER.url,
    })),
  };
  const last = `sha384-${'B'.repeat(64)}`;
  const first = `sha384-${'A'.repeat(64)}`;
  await app.registry.setPins(
    times(n, (i) => ({
      ...{ uri: `https://c.example/own${i}.js`, version: `1.${i}.0`, source: LOCAL, document: LOCAL.url },
      ...{ first, last, since: HOUR, checked: HOUR, changedAt: HOUR },
    })),
  );
  return app;
}

const uris = ['own0', 'pod0', 'peer', 'sample', 'nobody'].map((name) =>
  encodeURIComponent(`https://c.example/${name}.js`),
);
const PAGES = [
  ...['/', '/?q=card', '/?shapes=foaf:Person', '/?q=nothing', '/network'],
  ...['/data?url=https://a.example/&shapes=foaf:Person', '/data?url=https://a.example/&shapes=Person'],
  ...['/data', '/publish', '/why', '/nowhere', '/component?limit=x'],
  ...uris.flatMap((uri) => [`/c/${uri}`, `/why?uri=${uri}`, `/c/${uri}?entry=https://a.example/`]),
  ...['/why?document=https://pod.example/'],
];

describe.each([1, 2, 1200])('where there are %i of everything', (n) => {
  test('every page reads well aloud', async () => {
    const app = await nodeWith(Math.min(n, 3));
    if (n > 3) {
      app.node.status = app.node.status.map((one) => status(one, n, { failing: [], invalid: [], via: [] }));
      app.node.refusals = { ...app.node.refusals, counts: { 'private-address': n, 'not-approved': n } };
    }
    const heard: Record<string, string[]> = {};
    for (const path of PAGES) {
      const stumbles = stumblesIn(blocksOf(await (await browse(app, path)).text()));
      if (stumbles.length > 0) heard[path] = stumbles;
    }
    expect(heard).toEqual({});
  });

  test('what a source lacks, and what trusting one would lead to, read well aloud', () => {
    const document = { components: n, omitted: n };
    const [told] = sourceStatuses(
      [
        {
          source: POD,
          record: { failures: 0, unread: n, shrink: { since: HOUR, polls: n, from: 40, to: n, missed: [] } },
          documents: new Map([['https://pod.example/a.ttl', document]]),
        },
      ],
      NO_NETWORK,
      precedenceOf({ pods: [POD.url], peers: [] }),
      [],
    );
    const said = rehearsalText(rehearsal(n)).split('\n');
    expect(said.join('\n')).toContain(
      n === 1 ? 'leaves 1 component unchanged' : `leaves ${n.toLocaleString('en')} components unchanged`,
    );
    expect(stumblesIn([told?.notice ?? '', ...said])).toEqual([]);
  });
});

function rehearsal(n: number): Rehearsal {
  const counted = <T>(...examples: T[]) => ({ count: n, examples });
  const one = { uri: 'https://c.example/a.js', label: 'Card', version: '1.0.0' };
  const contested = {
    ...one,
    source: LOCAL,
    winner: POD,
    because: 'configured pods come before learned pods',
  };
  return {
    ...{ url: POD.url, kind: 'pod', components: n, documents: n },
    effects: {
      ...{
        adds: counted(one),
        trusts: counted(one),
        changes: counted({ ...one, fields: ['label'] as const }),
      },
      ...{ hides: counted(contested), shadowed: counted(contested), unchanged: n },
    },
    refuses: {
      invalid: counted({ document: POD.url, subject: 'x', reasons: ['no label'] }),
      documents: counted({ url: POD.url, error: 'it answers 500' }),
      omitted: { components: n, documents: n },
      pods: counted({ url: POD.url, isDenied: true }),
    },
    introduces: {
      peers: counted({ url: PEER.url, hops: n, via: [] }),
      pods: counted({ url: POD.url, hops: n, via: [] }),
      refused: { counts: { denied: n }, examples: [] },
    },
  };
}

describe('sentences with a name in them', () => {
  test.each([
    ['own0', /^It is served: this node itself describes it\.$/],
    ['pod0', /^It is served: the pod https:\/\/pod\.example\/ describes it\.$/],
    ['peer', /^It is served: the peer https:\/\/peer\.example describes it\.$/],
    ['sample', /^It is served: a set of components that comes with this node describes it\.$/],
  ])('of %s', async (name, sentence) => {
    const app = await nodeWith(1);
    const page = await (await browse(app, `/why?uri=https://c.example/${name}.js`)).text();
    expect(blocksOf(page)).toContainEqual(expect.stringMatching(sentence));
  });

  test.each([
    [1, 'tells of 1 address that is not read', '1 of 40 components is left there since'],
    [2, 'tells of 2 addresses that are not read', '2 of 40 components are left there since'],
  ])('with %i of something', async (n, refused, left) => {
    const page = blocksOf(await (await browse(await nodeWith(n), '/network')).text()).join('\n');
    expect(page).toContain(refused);
    expect(page).toContain(left);
  });

  test.each(REFUSAL_REASONS.map((reason) => [reason, REFUSAL_ADVICE[reason]]))(
    'the advice on %s goes with one address and with several',
    (_, advice) => {
      expect(advice).not.toMatch(/^(it|its|they|their) |\.$/);
    },
  );

  test('what a parser says goes on in the sentence around it', async () => {
    const fault = await parseRdf({
      text: '<a> <b> .',
      mediaType: 'text/turtle',
      baseIri: POD.url,
      namespace: VOC,
    }).catch(String);
    expect(fault).toMatch(/line 1$/);
  });
});

test('the check finds what stumbled before', () => {
  const before = [
    'tells of 1 address that are not read',
    'cannot be parsed on line 2..',
    'It is served, as This node itself says',
  ];
  expect(stumblesIn(before)).toHaveLength(3);
});
