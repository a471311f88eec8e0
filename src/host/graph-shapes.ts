import type { Quad } from './quad.js';

export const RDF_TYPE = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';
const PRIMARY_TOPIC = [
  'http://xmlns.com/foaf/0.1/primaryTopic',
  'https://schema.org/mainEntity',
  'http://schema.org/mainEntity',
];
export const CONFORMS_TO = 'http://purl.org/dc/terms/conformsTo';
/** The type that every resource of a pod has. */
const SAYS_NOTHING = 'http://www.w3.org/ns/ldp#Resource';
/** Classes of what applications note about a thing beside it (Soukai): when it was made, and what was changed. */
const OF_RECORDS = 'https://vocab.noeldemartin.com/crdt/';
/** Classes of documents, which say less than the classes of what a document is about. */
const OF_DOCUMENTS = ['http://xmlns.com/foaf/0.1/PersonalProfileDocument'];

/** The shapes that a graph names for a resource, the telling ones first; `shapesOf` says which. */
export function shapesInGraph(quads: readonly Quad[], resource: string): string[] {
  const document = documentOf(resource);
  const topics = resource === document ? topicsOf(quads, document) : [resource];
  const about = topics.flatMap((topic) => shapesAbout(quads, topic));
  const ofDocument = valuesOf(quads, document, RDF_TYPE).filter(isOfDocuments);
  return inOrder([...about, ...valuesOf(quads, document, CONFORMS_TO), ...ofDocument]);
}

/** The shapes to which a graph says that a resource conforms. */
export function conformsTo(quads: readonly Quad[], resource: string): string[] {
  const document = documentOf(resource);
  const topics = resource === document ? [...topicsOf(quads, document), document] : [resource, document];
  return topics.flatMap((topic) => valuesOf(quads, topic, CONFORMS_TO));
}

/** The properties of what a graph is about; of everything in it, where that is not clear. */
export function predicatesInGraph(quads: readonly Quad[], resource: string): string[] {
  const document = documentOf(resource);
  const topics = resource === document ? topicsOf(quads, document) : [resource];
  const about = quads.filter(({ subject }) => topics.includes(subject.value));
  return [...new Set((about.length > 0 ? about : quads).map(({ predicate }) => predicate.value))];
}

/** The shapes that a graph names for one subject. */
export function shapesAbout(quads: readonly Quad[], subject: string): string[] {
  return inOrder([...valuesOf(quads, subject, RDF_TYPE), ...valuesOf(quads, subject, CONFORMS_TO)]);
}

/** Each shape once, without those that say nothing, and those that say least at the end. */
export function inOrder(shapes: readonly string[]): string[] {
  const all = [...new Set(shapes)].filter((shape) => shape !== SAYS_NOTHING);
  return [...all.filter((shape) => !isOfDocuments(shape)), ...all.filter(isOfDocuments)];
}

/** Does a shape say that a resource is some kind of document, and not what that is about? */
export function isOfDocuments(shape: string): boolean {
  return OF_DOCUMENTS.includes(shape);
}

/** A URL without its fragment. */
export function documentOf(url: string): string {
  return url.replace(/#.*$/s, '');
}

/** What a document is about, as its graph says. */
export function topicsOf(quads: readonly Quad[], document: string): string[] {
  const named = PRIMARY_TOPIC.flatMap((term) => valuesOf(quads, document, term));
  if (named.length > 0) return named;
  const classes = inOrder(valuesOf(quads, document, RDF_TYPE));
  if (classes.some((one) => !isOfDocuments(one))) return [document];
  const types = quads.filter(({ predicate }) => predicate.value === RDF_TYPE);
  const isRecord = ({ object }: Quad) => object.value.startsWith(OF_RECORDS);
  const records = new Set(types.filter(isRecord).map(({ subject }) => subject.value));
  const said = quads.filter(({ subject }) => !records.has(subject.value));
  const typed = new Set(types.map(({ subject }) => subject.value).filter((one) => !records.has(one)));
  const mentioned = new Set(
    said.filter(({ subject, object }) => subject.value !== object.value).map(({ object }) => object.value),
  );
  const roots = [...typed].filter((subject) => !mentioned.has(subject));
  return roots.length > 0 ? roots : [...typed];
}

function valuesOf(quads: readonly Quad[], subject: string, predicate: string): string[] {
  return quads
    .filter((quad) => quad.subject.value === subject && quad.predicate.value === predicate)
    .filter(({ object }) => object.termType === 'NamedNode')
    .map(({ object }) => object.value);
}
