import { closeClasses, FARTHEST, moreGeneral } from '../component/close-classes.js';
import { classesByProperties, propertiesOf } from '../component/known-classes.js';
import type { MatchQuestion } from '../component/match-question.js';
import { PARSED_MEDIA_TYPES } from '../component/rdf/parsed-as.js';
import { shapeIri, shapeName } from '../component/shape-names.js';
import { IANA_MEDIA_TYPE } from '../component/vocabulary.js';

/** Why a component can be meant, the weightiest first (design, section 17). */
export const STEPS = ['shape', 'class', 'close', 'profile', 'media-type', 'generic'] as const;
export type Step = (typeof STEPS)[number];

/** What it means that a component names a class or shape. */
export interface Meaning {
  readonly step: Step;
  /** Steps through the table of close classes, 0 elsewhere: what is nearer comes first, whoever says it. */
  readonly distance: number;
  /**
   * How much of what is asked is covered by it, from 0 to 1; of one step, the meanings of several add up to 1
   * at most.
   */
  readonly coverage: number;
  /** For people, as what follows the name of the component. */
  readonly text: string;
}

/**
 * How much a meaning weighs, from 0 to 1. Each step has a range of its own, each distance and each `standing` of
 * who says it a range in that, and coverage orders the rest.
 */
export function scoreOf({ step, distance, coverage }: Meaning, standing = 0): number {
  const trusted = (2 - standing + Math.min(coverage, 0.999)) / 3;
  const within = distance === 0 ? trusted : 1 - (distance - trusted) / (FARTHEST + 1);
  return (STEPS.length - 1 - STEPS.indexOf(step) + within) / STEPS.length;
}

export type MatchPlan = ReturnType<typeof planMatch>;

const LDP = 'http://www.w3.org/ns/ldp#';
/** Classes that everything is of: who renders them shows anything. */
const OF_EVERYTHING = [
  'http://www.w3.org/2000/01/rdf-schema#Resource',
  `${LDP}Resource`,
  'http://www.w3.org/2002/07/owl#Thing',
  'https://schema.org/Thing',
];
const OF_RDF = [...OF_EVERYTHING, `${LDP}RDFSource`];
const OF_FILES = [`${LDP}NonRDFSource`, `${LDP}Resource`];
const GENERAL: ReadonlySet<string> = new Set([...OF_RDF, ...OF_FILES]);

/** Classes of documents, which say less than those of what a document is about. */
const OF_DOCUMENTS: readonly string[] = [shapeIri('foaf:PersonalProfileDocument'), shapeIri('foaf:Document')];

/** RDF 1.1 and 1.2 syntaxes; hosts write one as the other. */
const RDF_TYPES: readonly string[] = [...PARSED_MEDIA_TYPES, 'application/rdf+xml', 'text/n3'];

export function isRdfType(mediaType: string): boolean {
  return RDF_TYPES.includes(mediaType);
}

/**
 * Works out what to look for. `meanings`: by canonical IRI of a class or shape, the weightiest first;
 * `accept`: media types.
 */
export function planMatch(question: MatchQuestion) {
  const { shapes, mediaType, types } = question;
  const meanings = new Map<string, Meaning>();
  const add = (name: string, meaning: Meaning) => {
    if (!meanings.has(name)) meanings.set(name, meaning);
  };
  for (const shape of shapes)
    add(shape, meaning('shape', `renders the shape ${shapeName(shape)}`, { coverage: 1 / shapes.length }));
  addClasses(question, add);
  if (!types.some(propertiesOf)) addGuesses(question, add);
  const isFile = mediaType !== undefined && !isRdfType(mediaType);
  // Pods name a class that everything in one media type is of.
  if (isFile)
    add(`${IANA_MEDIA_TYPE}${mediaType}#Resource`, meaning('media-type', `shows what is in ${mediaType}`));
  const generic = meaning('generic', isFile ? 'shows any file' : 'shows any data');
  for (const name of isFile ? OF_FILES : OF_RDF) add(name, generic);
  const accept = mediaType === undefined ? [] : [mediaType, `${mediaType.split('/')[0]}/*`];
  return { question, meanings, accept };
}

/** Close classes that are looked for, whatever the data says that it is. */
const MOST_CLOSE = 64;

type Add = (name: string, meaning: Meaning) => void;

function meaning(step: Step, text: string, { distance = 0, coverage = 1 } = {}): Meaning {
  return { step, distance, coverage, text };
}

function addClasses({ types }: MatchQuestion, add: Add): void {
  const about = types.filter((type) => !GENERAL.has(type) && !OF_DOCUMENTS.includes(type));
  const ofDocuments = types.filter((type) => OF_DOCUMENTS.includes(type));
  const classes = about.length > 0 ? about : ofDocuments;
  const general = new Set(classes.flatMap((type) => [...moreGeneral(type)]));
  // Of data that is of a class and of a more general one, the special one tells more.
  const weight = (type: string) => (general.has(type) ? 1 : 2);
  const all = classes.reduce((sum, type) => sum + weight(type), 0);
  for (const type of classes)
    add(type, meaning('class', `renders ${shapeName(type)}`, { coverage: weight(type) / all }));
  const near = classes.flatMap(closeClasses).sort((one, other) => one.steps - other.steps);
  for (const { name, to, steps, loss } of near.slice(0, MOST_CLOSE)) {
    const text = `renders ${shapeName(name)}, which is close to ${shapeName(to)}: ${loss}`;
    add(name, meaning('close', text, { distance: steps, coverage: 1 / (1 + steps) }));
  }
  for (const type of ofDocuments) {
    const text = `renders ${shapeName(type)}, the kind of document it is in`;
    add(type, meaning('close', text, { distance: FARTHEST + 1, coverage: 0 }));
  }
}

/** What data of no known class may be, by its properties. What its class says is not guessed. */
function addGuesses({ predicates }: MatchQuestion, add: Add): void {
  for (const { name, has, of } of classesByProperties(predicates)) {
    const text = `renders ${shapeName(name)}, and the data has ${has} of its ${of} usual properties`;
    add(name, meaning('profile', text, { coverage: has / of }));
  }
}
