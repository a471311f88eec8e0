import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Invocation } from '../../src/component/capability.js';
import { readMatchQuestion } from '../../src/component/match-question.js';
import type { Metadata } from '../../src/component/metadata.js';
import { LOCAL, SAMPLES, type Source } from '../../src/component/source.js';
import { type Match, type MatchCandidate, Ranking } from '../../src/core/match.js';
import { planMatch } from '../../src/core/match-plan.js';
import { component } from '../support/registry.js';

const FOAF = 'http://xmlns.com/foaf/0.1/';
const SCHEMA = 'https://schema.org/';
const VCARD = 'http://www.w3.org/2006/vcard/ns#';
const LDP = 'http://www.w3.org/ns/ldp#';
const RESOURCE = 'http://www.w3.org/2000/01/rdf-schema#Resource';
const [PERSON, CARD] = [`${FOAF}Person`, `${VCARD}Individual`];
const STRANGER: Source = { kind: 'pod', url: 'https://stranger.example/' };
const LINK: Invocation = { type: 'ac:UriTemplateInvocation', template: '{?uri}' };
const FRAGMENT: Invocation = { type: 'FragmentInvocation', fragment: '<p>', module: [] };

type Given = Partial<Metadata> & Partial<Omit<MatchCandidate, 'metadata'>>;
function at(
  label: string,
  { source = LOCAL, trust = 'own', since = 0, module, ...more }: Given,
): MatchCandidate {
  return { metadata: component(label, { label, ...more }), source, trust, since, module };
}
const ranked = (question: object, ...candidates: readonly MatchCandidate[]): Match[] => {
  const ranking = new Ranking<MatchCandidate>(planMatch(readMatchQuestion(question)));
  for (const one of candidates) ranking.add(one);
  return ranking.matches;
};
/** Who matches, in order, and by which step. */
const labels = (question: object, ...candidates: readonly MatchCandidate[]) =>
  ranked(question, ...candidates).map(
    ({ candidate, because: [reason] }) => `${candidate.metadata.label} ${reason?.code}`,
  );

describe('the order of matches', () => {
  const shapes = [PERSON];
  const stranger = { source: STRANGER, trust: 'learned' } as const;
  /** Each comes before the next one, for the reason given. */
  const ORDER: readonly (readonly [why: string, MatchCandidate])[] = [
    ['a named shape', at('shaped', { shapes: ['https://shapes.example/me'], ...stranger })],
    ['a class, and what its author calls the latest', at('latest', { shapes, latest: true })],
    ['what is newer', at('newer', { shapes, since: 2 })],
    ['what comes first by name', at('a', { shapes, since: 1 })],
    ['and by address', at('b', { shapes, since: 1, uri: 'https://c.example/1.js' })],
    ['behind it', at('b', { shapes, since: 1, uri: 'https://c.example/2.js' })],
    ['what is not the latest', at('outdated', { shapes, latest: false })],
    [
      'what is opened elsewhere',
      at('link', { capability: [{ resourceType: shapes, invocation: [LINK] }], shapes }),
    ],
    ['what strangers say', at('stranger', { shapes, ...stranger })],
    ['what comes with the node', at('sample', { shapes, source: SAMPLES, trust: 'configured' })],
    ['a close class', at('card', { shapes: [CARD] })],
    ['what takes the media type', at('turtle', { capability: [{ accept: ['text/turtle'] }] })],
    ['what takes all of its kind', at('text', { capability: [{ accept: ['text/*'] }] })],
    ['what shows anything', at('anything', { shapes: [RESOURCE] })],
    ['what no host could run, however well it fits', at('dead', { shapes, module: 'dead' })],
    ['or whose bytes have changed', at('changed', { shapes, module: 'changed', since: -1 })],
  ];
  const question = { types: [PERSON], shapes: ['https://shapes.example/me'], mediaType: 'text/turtle' };
  const all = ORDER.map(([, candidate]) => candidate);

  test('is that of what they know of the data, of trust, of coverage and of newness, in whatever order they come', () => {
    const shuffled = fc.shuffledSubarray(all, { minLength: all.length });
    fc.assert(
      fc.property(shuffled, fc.integer({ min: 1, max: 20 }), (candidates, limit) => {
        const found = ranked({ ...question, limit }, ...candidates).map(({ candidate }) => candidate);
        expect(found.map(({ metadata }) => metadata.label)).toEqual(
          all.slice(0, limit).map(({ metadata }) => metadata.label),
        );
      }),
    );
  });

  test('is followed by the scores, from 1 to what cannot run', () => {
    const found = ranked(question, ...all);
    const scores = found.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((one, other) => other - one));
    expect([scores[0], scores.at(-1)]).toEqual([
      expect.closeTo(0.83 + 0.17 * (2 / 3), 1),
      expect.closeTo(0.01, 1),
    ]);
    for (const score of scores) expect(score > 0 && score <= 1).toBe(true);
    const ofSteps = new Map(found.slice(0, -2).map(({ score, because: [reason] }) => [reason?.code, score]));
    expect(new Set(ofSteps.values()).size).toBe(5);
  });

  test('is that of coverage within one class and trust', () => {
    const both = [PERSON, CARD];
    const one = at('one', { shapes: [PERSON] });
    expect(
      labels({ types: both }, one, at('both', { shapes: both }), at('twice', { shapes: [PERSON, PERSON] })),
    ).toEqual(['both class', 'one class', 'twice class']);
    expect(ranked({ types: both }, at('both', { shapes: both }))[0]?.because[0]?.text).toBe(
      'renders foaf:Person and vcard:Individual',
    );
    const shapes = ['https://shapes.example/a', 'https://shapes.example/b'];
    expect(labels({ shapes }, at('a', { shapes: shapes.slice(1) }), at('z', { shapes }))).toEqual([
      'z shape',
      'a shape',
    ]);
    const predicates = [`${FOAF}name`, `${VCARD}fn`];
    const name = at('name', { shapes: [PERSON] });
    expect(labels({ types: [PERSON], predicates }, name, at('with card', { shapes: both }))).toEqual([
      'with card class',
      'name class',
    ]);
  });

  test('says why, the weightiest first', () => {
    const codes = (one: MatchCandidate) => ranked(question, one)[0]?.because.map(({ code }) => code);
    const of = Object.fromEntries(all.map((one) => [one.metadata.label, codes(one)]));
    expect(of).toMatchObject({
      latest: ['class', 'latest', 'own'],
      outdated: ['class', 'outdated', 'own'],
      link: ['class', 'link', 'own'],
      stranger: ['class', 'learned'],
      sample: ['class', 'sample'],
      card: ['close', 'own'],
      text: ['media-type', 'own'],
      anything: ['generic', 'own'],
      dead: ['class', 'own', 'dead'],
      changed: ['class', 'own', 'changed'],
    });
    expect(codes(at('missed', { shapes, module: 'missed', trust: 'configured' }))).toEqual([
      'class',
      'configured',
    ]);
  });
});

describe('classes', () => {
  const named = (...names: string[]) =>
    names.map((name) => at(name, { shapes: [`http://schema.org/${name}`] }));
  const schema = named('Article', 'NewsArticle', 'Organization', 'LocalBusiness');

  test('that are special come before the general ones, and nearer ones before those farther away', () => {
    expect(labels({ types: [`${SCHEMA}Article`, `${SCHEMA}NewsArticle`] }, ...schema)).toEqual([
      'NewsArticle class',
      'Article class',
    ]);
    expect(labels({ types: [`${SCHEMA}BlogPosting`] }, ...schema)).toEqual(['Article close']);
    expect(labels({ types: ['http://schema.org/Restaurant'] }, ...schema)).toEqual([
      'LocalBusiness close',
      'Organization close',
    ]);
    const far = named('LocalBusiness').map((one) => ({
      ...one,
      source: STRANGER,
      trust: 'learned' as const,
    }));
    expect(labels({ types: [`${SCHEMA}Restaurant`] }, ...far, ...named('Organization'))).toEqual([
      'LocalBusiness close',
      'Organization close',
    ]);
  });

  test('that everything is of mean nothing, and those of documents only where there is nothing else', () => {
    const document = at('document', { shapes: [`${FOAF}Document`] });
    expect(labels({ types: [`${SCHEMA}Thing`] }, ...schema)).toEqual([]);
    expect(labels({ types: [`${FOAF}Document`] }, document)).toEqual(['document class']);
    expect(labels({ types: [`${FOAF}Document`, PERSON] }, document, at('card', { shapes: [CARD] }))).toEqual([
      'card close',
      'document close',
    ]);
  });

  test('are guessed from the properties where none is known', () => {
    const person = at('person', { shapes: [PERSON] });
    const anything = at('anything', { shapes: [RESOURCE] });
    const predicates = ['name', 'mbox', 'knows'].map((name) => FOAF + name);
    for (const types of [['https://own.example/Employee'], [`${FOAF}Document`], undefined])
      expect(labels({ predicates, types }, anything, person)).toEqual(['person profile', 'anything generic']);
    expect(labels({ predicates: predicates.slice(0, 1) }, person, anything)).toEqual(['anything generic']);
    expect(labels({ predicates, types: [`${SCHEMA}Recipe`] }, person)).toEqual([]);
    expect(ranked({ predicates }, person)[0]?.because[0]?.text).toMatch(
      /^renders foaf:Person, and the data has 3 of its \d+ usual properties$/,
    );
  });
});

describe('what a component takes', () => {
  const image = [`${SCHEMA}ImageObject`];
  const taking = (label: string, ...accept: string[]) =>
    at(label, { capability: [{ resourceType: image, accept }] });

  test.each<[mediaType: string, accept: string, isTaken: boolean]>([
    ['image/png', 'image/png', true],
    ['image/png', 'image/*', true],
    ['image/png', 'image/jpeg', false],
    ['image/png', 'text/turtle', false],
    ['text/turtle', 'application/ld+json', true],
    ['text/turtle', 'image/png', false],
    ['text/plain', 'text/turtle', false],
  ])('is asked of the media type of the resource: %s of %s: %s', (mediaType, accept, isTaken) => {
    expect(labels({ types: image, mediaType }, taking('it', accept))).toEqual(isTaken ? ['it class'] : []);
    expect(labels({ types: image }, taking('it', accept))).toEqual(['it class']);
    expect(labels({ types: image, mediaType }, taking('all'))).toEqual(['all class']);
  });

  test('are examples beside a class of everything', () => {
    const viewer = at('viewer', {
      capability: [{ resourceType: [`${LDP}NonRDFSource`], accept: ['text/plain'] }],
    });
    expect(labels({ mediaType: 'image/png' }, viewer)).toEqual(['viewer generic']);
    expect(labels({ mediaType: 'text/turtle' }, viewer)).toEqual([]);
  });

  test.each<[type: string, ofFiles: boolean, ofRdf: boolean]>([
    [`${LDP}NonRDFSource`, true, false],
    [`${LDP}Resource`, true, true],
    [`${LDP}RDFSource`, false, true],
    [RESOURCE, false, true],
    ['http://www.w3.org/2002/07/owl#Thing', false, true],
    [`${SCHEMA}Thing`, false, true],
  ])('is anything where it names a class of everything: %s', (type, ofFiles, ofRdf) => {
    const one = at('it', { shapes: [type] });
    const isShown = (question: object) => labels(question, one).join() === 'it generic';
    expect([isShown({ mediaType: 'image/png' }), isShown({ mediaType: 'text/turtle' }), isShown({})]).toEqual(
      [ofFiles, ofRdf, ofRdf],
    );
  });

  test('is also said by the class of a media type', () => {
    const png = at('png', { shapes: ['http://www.w3.org/ns/iana/media-types/image/png#Resource'] });
    expect(labels({ mediaType: 'image/png' }, png)).toEqual(['png media-type']);
    expect(labels({ mediaType: 'image/jpeg' }, png)).toEqual([]);
  });
});

describe('how a component is invoked', () => {
  const shapes = [PERSON];
  const by = (capability: Metadata['capability']) =>
    ranked({ types: shapes }, at('it', { shapes, capability }))[0];

  test.each<[what: string, Metadata['capability'], expected: Invocation | null | undefined]>([
    ['by the four events where it says nothing', undefined, null],
    ['also where its capability names no invocation', [{ resourceType: shapes }], null],
    ['in the page rather than by a link', [{ invocation: [LINK, FRAGMENT] }], FRAGMENT],
    ['by a link where there is nothing else', [{ invocation: [LINK] }], LINK],
    ['not at all where no invocation is known', [{ invocation: [] }], undefined],
    [
      'by the best of its capabilities',
      [{ resourceType: [CARD], invocation: [LINK] }, { invocation: [FRAGMENT] }],
      FRAGMENT,
    ],
    ['not for another action', [{ action: 'odrl:modify', invocation: [FRAGMENT] }], undefined],
  ])('%s', (_, capability, expected) => {
    expect(by(capability)?.invocation).toEqual(expected);
  });

  test('is asked for by the action', () => {
    const editor = at('editor', {
      capability: [{ action: 'odrl:modify', resourceType: shapes, invocation: [FRAGMENT] }],
      shapes,
    });
    const action = 'http://www.w3.org/ns/odrl/2/modify';
    expect(labels({ types: shapes, action }, editor, at('viewer', { shapes }))).toEqual(['editor class']);
  });

  test('is for the classes and shapes of its capability, else for those of the component', () => {
    const one = at('it', { shapes: [CARD], capability: [{ resourceType: [PERSON] }] });
    expect(labels({ types: [PERSON] }, one)).toEqual(['it class']);
    expect(labels({ types: [CARD] }, one)).toEqual(['it close']);
    const shape = 'https://shapes.example/me';
    expect(labels({ shapes: [shape] }, at('it', { shapes: [], capability: [{ shape: [shape] }] }))).toEqual([
      'it shape',
    ]);
  });
});

describe('what a component will not show', () => {
  const [name, shoes, type] = [
    `${FOAF}name`,
    'https://own.example/shoes',
    'http://www.w3.org/1999/02/22-rdf-syntax-ns#type',
  ];
  const predicates = [name, shoes, type];
  const missing = (question: object, ...shapes: string[]) =>
    ranked(question, at('it', { shapes }))[0]?.missing;

  test.each<[what: string, types: string[], shapes: string[], ReturnType<typeof missing>]>([
    ['properties that its class does not have', [PERSON], [PERSON], { types: [], predicates: [shoes] }],
    ['a class that is close to its own', [PERSON], [CARD], { types: [PERSON], predicates: [name, shoes] }],
    [
      'one of several classes',
      [PERSON, `${SCHEMA}Recipe`],
      [PERSON],
      { types: [`${SCHEMA}Recipe`], predicates: [shoes] },
    ],
    [
      'no class that is more general than its own',
      [`${SCHEMA}Article`, `${SCHEMA}NewsArticle`],
      [`${SCHEMA}NewsArticle`],
      { types: [], predicates: expect.anything() as never },
    ],
    [
      'nothing, as far as is known, of a class of which no properties are known',
      ['https://own.example/A'],
      ['https://own.example/A'],
      { types: [], predicates: [] },
    ],
    ['nothing of what shows anything', [PERSON], [RESOURCE], { types: [], predicates: [] }],
  ])('%s', (_, types, shapes, expected) => {
    expect(missing({ types, predicates }, ...shapes)).toEqual(expected);
  });
});
