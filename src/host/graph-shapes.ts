import type { Quad } from './quad.js';

export const RDF_TYPE = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';
export const CONFORMS_TO = 'http://purl.org/dc/terms/conformsTo';
const PRIMARY_TOPIC = [
  'http://xmlns.com/foaf/0.1/primaryTopic',
  'https://schema.org/mainEntity',
  'http://schema.org/mainEntity',
];
/** The type that every resource of a pod has. */
const SAYS_NOTHING = 'http://www.w3.org/ns/ldp#Resource';
/** Classes of what applications note about a thing beside it (Soukai): when it was made, and what was changed. */
const OF_RECORDS = 'https://vocab.noeldemartin.com/crdt/';
/** The class of a document, which says less than the classes of what the document is about. */
const OF_DOCUMENTS = 'http://xmlns.com/foaf/0.1/PersonalProfileDocument';

/** The shapes that a graph names for a resource, the telling ones first; `shapesOf` says which. */
export function shapesInGraph(quads: readonly Quad[], resource: string): string[] {
  const document = documentOf(resource);
  const about = topicsAt(quads, resource).flatMap((topic) => shapesAbout(quads, topic));
  const ofDocument = valuesOf(quads, document, RDF_TYPE).filter((shape) => shape === OF_DOCUMENTS);
  return inOrder([...about, ...valuesOf(quads, document, CONFORMS_TO), ...ofDocument]);
}

/** The shapes to which a graph says that a resource conforms. */
export function conformsTo(quads: readonly Quad[], resource: string): string[] {
  const topics = [...topicsAt(quads, resource), documentOf(resource)];
  return topics.flatMap((topic) => valuesOf(quads, topic, CONFORMS_TO));
}

/** The properties of what a graph is about; of everything in it, where that is not clear. */
export function predicatesInGraph(quads: readonly Quad[], resource: string): string[] {
  const topics = topicsAt(quads, resource);
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
  return [...all.filter((shape) => shape !== OF_DOCUMENTS), ...all.filter((shape) => shape === OF_DOCUMENTS)];
}

/** A URL without its fragment. */
export function documentOf(url: string): string {
  return url.replace(/#.*$/s, '');
}

/** What a resource is about: itself, where its URL has a fragment, else what its graph says. */
export function topicsAt(quads: readonly Quad[], resource: string): string[] {
  return resource === documentOf(resource) ? topicsOf(quads, resource) : [resource];
}

/** What a document is about, as its graph says. */
export function topicsOf(quads: readonly Quad[], document: string): string[] {
  const named = PRIMARY_TOPIC.flatMap((term) => valuesOf(quads, document, term));
  if (named.length > 0) return named;
  const classes = inOrder(valuesOf(quads, document, RDF_TYPE));
  if (classes.some((one) => one !== OF_DOCUMENTS)) return [document];
  const types = quads.filter(({ predicate }) => predicate.value === RDF_TYPE);
  const isRecord = ({ object }: Quad) => object.value.startsWith(OF_RECORDS);
  const records = new Set(types.filter(isRecord).map(({ subject }) => subject.value));
  const typed = new Set(types.map(({ subject }) => subject.value).filter((one) => !records.has(one)));
  const said = quads.filter(
    ({ subject, object }) => !records.has(subject.value) && subject.value !== object.value,
  );
  const mentioned = new Set(said.map(({ object }) => object.value));
  const roots = [...typed].filter((subject) => !mentioned.has(subject));
  return roots.length > 0 ? roots : [...typed];
}

function valuesOf(quads: readonly Quad[], subject: string, predicate: string): string[] {
  return quads
    .filter((quad) => quad.subject.value === subject && quad.predicate.value === predicate)
    .filter(({ object }) => object.termType === 'NamedNode')
    .map(({ object }) => object.value);
}
