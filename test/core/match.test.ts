import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Invocation } from '../../src/component/capability.js';
import { readMatchQuestion } from '../../src/component/match-question.js';
import type { Metadata } from '../../src/component/metadata.js';
import { shapeIri } from '../../src/component/shape-names.js';
import { LOCAL, SAMPLES } from '../../src/component/source.js';
import { type Match, type MatchCandidate, Ranking } from '../../src/core/match.js';
import { planMatch } from '../../src/core/match-plan.js';
import { component } from './component.js';

const LINK: Invocation = { type: 'ac:UriTemplateInvocation', template: '{?uri}' };
const FRAGMENT: Invocation = { type: 'FragmentInvocation', fragment: '<p>', module: [] };
const RUN = { invocation: [FRAGMENT] };
const RDF_TYPE = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';
const SHAPE = 'https://shapes.example/me';
const [PERSON, CARD] = ['foaf:Person', 'vcard:Individual'].map(shapeIri) as [string, string];
const STRANGER = { source: { kind: 'pod', url: 'https://stranger.example/' }, trust: 'learned' } as const;

type Given = Partial<Metadata> & Partial<Omit<MatchCandidate, 'metadata'>>;
function candidate(label: string, given: Given): MatchCandidate {
  const { source = LOCAL, trust = 'own', since = 0, module, ...more } = given;
  return { metadata: component(label, { label, ...more }), source, trust, since, module };
}
const iriOf = (word: string) => shapeIri(word.includes(':') ? word : `schema:${word}`);
/**
 * Candidates in short: `a=Article,foaf:Image` has two classes, `b=Article@image/*` takes pictures; `~` is a
 * stranger's.
 */
function candidates(text: string): MatchCandidate[] {
  return text.split(' ').map((word) => {
    const [, stranger, label = '', names = '', accept] = /^(~?)(\w+)=([^@]*)(?:@(.*))?$/.exec(word) ?? [];
    const shapes = names.split(',').filter(Boolean).map(iriOf);
    const said =
      accept === undefined
        ? { shapes }
        : { capability: [{ resourceType: shapes, accept: accept.split(',') }] };
    return candidate(label, { ...said, ...(stranger && STRANGER) });
  });
}
/** A question in short: classes, properties (their names begin small), `#` before shapes, a media type. */
function questionOf(text: string) {
  const words = text.split(' ').filter(Boolean);
  const mediaType = words.find((word) => /^\w+\/\w+$/.test(word));
  const names = words.filter((word) => word !== mediaType && !word.startsWith('#')).map(iriOf);
  const isProperty = (iri: string) => /[#/][a-z]\w*$/.test(iri);
  return {
    types: names.filter((iri) => !isProperty(iri)),
    predicates: names.filter(isProperty),
    shapes: words.flatMap((word) => (word.startsWith('#') ? word.slice(1) : [])),
    ...(mediaType && { mediaType }),
  };
}
function ranked(question: string, all: readonly MatchCandidate[], more: object = {}): Match[] {
  const ranking = new Ranking(planMatch(readMatchQuestion({ ...questionOf(question), ...more })));
  for (const one of all) ranking.add(one);
  return ranking.matches;
}
const codesOf = ({ because }: Match) => because.map(({ code }) => code).join(' ');

const shapes = [PERSON];
/** Each comes before the next one; the codes say why, the weightiest first. */
const ORDER: readonly (readonly [label: string, codes: string, Given])[] = [
  ['shaped', 'shape learned', { shapes: [SHAPE], ...STRANGER }],
  ['latest', 'class latest own', { shapes, latest: true }],
  ['newer', 'class own', { shapes, since: 2 }],
  ['first by name', 'class own', { shapes, since: 1 }],
  ['name', 'class configured', { shapes, since: 1, trust: 'configured', uri: 'https://c.example/1.js' }],
  ['name', 'class own', { shapes, since: 1, uri: 'https://c.example/2.js', module: 'missed' }],
  ['outdated', 'class outdated own', { shapes, latest: false }],
  ['link', 'class link own', { shapes, capability: [{ resourceType: shapes, invocation: [LINK] }] }],
  ['stranger', 'class learned', { shapes, ...STRANGER }],
  ['sample', 'class sample', { shapes, source: SAMPLES, trust: 'configured' }],
  ['card', 'close own', { shapes: [CARD] }],
  ['turtle', 'media-type own', { capability: [{ accept: ['text/turtle'] }] }],
  ['text', 'media-type own', { capability: [{ accept: ['text/*'] }] }],
  ['anything', 'generic own', { shapes: [shapeIri('rdfs:Resource')] }],
  ['dead', 'class own dead', { shapes, module: 'dead' }],
  ['changed', 'class own changed', { shapes, module: 'changed', since: -1 }],
];

test('the best comes first, says why, and has the highest score, in whatever order all come', () => {
  const all = ORDER.map(([label, , given]) => candidate(label, given));
  const question = `foaf:Person #${SHAPE} text/turtle`;
  const shuffled = fc.shuffledSubarray(all, { minLength: all.length });
  fc.assert(
    fc.property(shuffled, fc.integer({ min: 1, max: 20 }), (candidates, limit) => {
      const found = ranked(question, candidates, { limit });
      const told = found.map((match) => [match.candidate.metadata.label, codesOf(match)]);
      expect(told).toEqual(ORDER.slice(0, limit).map(([label, codes]) => [label, codes]));
      const scores = found.map(({ score }) => score);
      expect(scores).toEqual(scores.toSorted((one, other) => other - one));
      expect(scores.every((score) => score > 0 && score <= 1)).toBe(true);
    }),
  );
  const scores = ranked(question, all).map(({ score }) => score);
  expect([scores[0], scores[14]]).toEqual([expect.closeTo(0.94, 1), expect.closeTo(0.01, 1)]);
  expect(new Set([0, 1, 10, 11, 13, 14].map((at) => scores[at])).size).toBe(6);
});

test('thousands of candidates make room for the best of them', () => {
  const many = Array.from({ length: 1_000 }, (_, since) => candidate(`${since}`, { shapes, since }));
  const found = ranked('foaf:Person', many, { limit: 2 });
  expect(found.map(({ candidate }) => candidate.since)).toEqual([999, 998]);
});

const PNG = 'http://www.w3.org/ns/iana/media-types/image/png#Resource';
const SOME = 'A=Article N=NewsArticle O=Organization L=LocalBusiness';
const [FRIEND, ME] = ['foaf:name foaf:mbox foaf:knows', 'all=rdfs:Resource me=foaf:Person'];
const TWO = 'b=foaf:Person a=foaf:Person,foaf:Person c=foaf:Person,vcard:Individual';

test.each<[what: string, question: string, given: string, found: string]>([
  ['more of the classes', 'foaf:Person vcard:Individual', TWO, 'c class, a class, b class'],
  ['more of the shapes', '#urn:x:1 #urn:x:2', 'a=urn:x:2 z=urn:x:1,urn:x:2', 'z shape, a shape'],
  ['more of the properties', 'foaf:Person foaf:name vcard:fn', TWO, 'c class, a class, b class'],
  ['the special class', 'Article NewsArticle', SOME, 'N class, A class'],
  ['a more general class', 'BlogPosting', SOME, 'A close'],
  ['the nearer class', 'Restaurant', SOME, 'L close, O close'],
  ['whoever says it', 'http://schema.org/Restaurant', 'O=Organization ~L=LocalBusiness', 'L close, O close'],
  ['not what everything is', 'Thing', SOME, ''],
  ['the class of a document', 'foaf:Document', 'a=foaf:Document', 'a class'],
  ['that last of all', 'foaf:Document foaf:Person', 'a=foaf:Document c=vcard:Individual', 'c close, a close'],
  ['what the properties tell', FRIEND, ME, 'me profile, all generic'],
  ['also of unknown classes', `${FRIEND} https://own.example/A`, ME, 'me profile, all generic'],
  ['and of documents', `${FRIEND} foaf:Document`, ME, 'me profile, all generic'],
  ['not what one of them tells', 'foaf:name', ME, 'all generic'],
  ['nor where a class is known', `${FRIEND} Recipe`, ME, 'all generic'],
  ['what takes the media type', 'Photo image/png', 'b=Photo@image/* a=Photo', 'a class, b class'],
  ['not what takes another', 'Photo image/png', 'a=Photo@image/jpeg b=Photo@text/turtle', ''],
  ['what takes it among others', 'Photo image/png', 'a=Photo@image/jpeg,image/png', 'a class'],
  ['unless none is known', 'Photo', 'a=Photo@image/jpeg', 'a class'],
  ['one RDF for another', 'Photo text/turtle', 'a=Photo@image/png,text/n3 b=Photo@image/png', 'a class'],
  ['not for text', 'Photo text/plain', 'a=Photo@text/turtle', ''],
  ['types beside all files as examples', 'image/png', 'a=ldp:NonRDFSource@text/plain', 'a generic'],
  ['but no files for RDF', 'text/turtle', 'a=ldp:NonRDFSource@text/plain', ''],
  ['the class of a media type', 'image/png', `a=${PNG}`, 'a media-type'],
  ['not that of another', 'image/jpeg', `a=${PNG}`, ''],
])('finds %s', (_, question, given, expected) => {
  const found = ranked(question, candidates(given));
  const told = found.map(({ candidate, because: [first] }) => `${candidate.metadata.label} ${first?.code}`);
  expect(told.join(', ')).toBe(expected);
  const scores = found.map(({ score }) => score);
  expect(scores).toEqual(scores.toSorted((one, other) => other - one));
});

test.each<[type: string, ofFiles: boolean, ofRdf: boolean]>([
  ['ldp:NonRDFSource', true, false],
  ['ldp:Resource', true, true],
  ['ldp:RDFSource', false, true],
  ['rdfs:Resource', false, true],
  ['owl:Thing', false, true],
  ['schema:Thing', false, true],
])('anything is shown by what names %s: files %s, RDF %s', (type, ofFiles, ofRdf) => {
  const isShown = (question: string) =>
    ranked(question, candidates(`it=${type}`))
      .map(codesOf)
      .join();
  const expected = [ofFiles, ofRdf, ofRdf].map((is) => (is ? 'generic own' : ''));
  expect(['image/png', 'text/turtle', ''].map(isShown)).toEqual(expected);
});

const CLASSES = ['foaf:Person', 'vcard:Individual'];
const NEWS = 'what is special about schema:NewsArticle is not shown';
test.each<[question: string, given: string, text: string | RegExp]>([
  [CLASSES.join(' '), `a=${CLASSES}`, `renders ${CLASSES.join(' and ')}`],
  [FRIEND, 'a=foaf:Person', /^renders foaf:Person, and the data has 3 of its \d+ usual properties$/],
  ['NewsArticle', 'a=Article', `renders schema:Article, which is close to schema:NewsArticle: ${NEWS}`],
  ['image/png', 'a=@image/png', 'takes image/png'],
])('says why to people: %s of %s', (question, given, text) => {
  expect(ranked(question, candidates(given))[0]?.because[0]?.text).toMatch(text);
});

test.each<[string, Metadata['capability'], expected: Invocation | null | undefined, question?: string]>([
  ['by the four events where it says nothing', undefined, null],
  ['also where its capability names no invocation', [{ resourceType: shapes }], null],
  ['in the page rather than by a link', [{ invocation: [LINK, FRAGMENT] }], FRAGMENT],
  ['by a link where there is nothing else', [{ invocation: [LINK] }], LINK],
  ['not at all where no invocation is known', [{ invocation: [] }], undefined],
  ['by the best of its capabilities', [{ resourceType: [CARD], invocation: [LINK] }, RUN], FRAGMENT],
  ['not for another action', [{ ...RUN, action: 'odrl:modify' }], undefined],
  ['for the shape of its capability', [{ shape: [SHAPE], invocation: [LINK] }], LINK, `#${SHAPE}`],
  ['and not for that of the component then', [{ shape: [SHAPE] }], undefined],
])('a component is invoked %s', (_, capability, expected, question = 'foaf:Person') => {
  const one = candidate('it', { shapes, ...(capability && { capability }) });
  expect(ranked(question, [one])[0]?.invocation).toEqual(expected);
});

test('a component is invoked for the action that is asked', () => {
  const one = candidate('it', { shapes, capability: [{ ...RUN, action: 'odrl:modify' }] });
  const asked = { action: 'http://www.w3.org/ns/odrl/2/modify' };
  const found = ranked('foaf:Person', [one, candidate('viewer', { shapes })], asked);
  expect(found.map(({ candidate }) => candidate)).toEqual([one]);
});

const [OWN, SHOES] = ['https://own.example/A', 'https://own.example/shoes'];
test.each<[what: string, types: string, shapes: string, missing: string]>([
  ['properties that its class does not have', 'foaf:Person', 'foaf:Person', SHOES],
  ['a class that is close to its own', 'foaf:Person', 'vcard:Individual', `foaf:Person foaf:name ${SHOES}`],
  ['one of several classes', 'foaf:Person Recipe', 'foaf:Person', `Recipe ${SHOES}`],
  ['no class more general than its own', 'Article NewsArticle', 'NewsArticle,Recipe', `foaf:name ${SHOES}`],
  ['nothing of a class of which no properties are known', OWN, OWN, ''],
  ['nothing of what shows anything', 'foaf:Person', 'rdfs:Resource', ''],
])('a component will not show %s', (_, types, shapes, missing) => {
  const [match] = ranked(`${types} foaf:name ${SHOES} ${RDF_TYPE}`, candidates(`it=${shapes}`));
  const expected = questionOf(missing);
  expect(match?.missing).toEqual({ types: expected.types, predicates: expected.predicates });
});
