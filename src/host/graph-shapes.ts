import { grouped } from '../lib/grouped.js';
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

/** The shapes that a graph names for a resource, the telling ones first; `shapesOf` says which. */
export function shapesInGraph(quads: readonly Quad[], resource: string): string[] {
  const classes = valuesOf(quads, topicsAt(quads, resource), RDF_TYPE);
  return telling([...classes, ...conformsTo(quads, resource)]);
}

/** Each shape once, without those that say nothing. */
export function telling(shapes: readonly string[]): string[] {
  return [...new Set(shapes)].filter((shape) => shape !== SAYS_NOTHING);
}

/** The shapes to which a graph says that a resource conforms. */
export function conformsTo(quads: readonly Quad[], resource: string): string[] {
  return valuesOf(quads, [...topicsAt(quads, resource), documentOf(resource)], CONFORMS_TO);
}

/** The properties of what a graph is about; of everything in it, where that is not clear. */
export function predicatesInGraph(quads: readonly Quad[], resource: string): string[] {
  const topics = new Set(topicsAt(quads, resource));
  const about = quads.filter(({ subject }) => topics.has(subject.value));
  return [...new Set((about.length > 0 ? about : quads).map(({ predicate }) => predicate.value))];
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
  const named = PRIMARY_TOPIC.flatMap((term) => valuesOf(quads, [document], term));
  if (named.length > 0) return named;
  if (telling(valuesOf(quads, [document], RDF_TYPE)).length > 0) return [document];
  const types = quads.filter(({ predicate }) => predicate.value === RDF_TYPE);
  const isRecord = ({ object }: Quad) => object.value.startsWith(OF_RECORDS);
  const records = new Set(types.filter(isRecord).map(({ subject }) => subject.value));
  const typed = [...new Set(types.map(({ subject }) => subject.value))].filter((one) => !records.has(one));
  const others = quads.filter(
    ({ subject, object }) => !records.has(subject.value) && subject.value !== object.value,
  );
  const mentioned = new Set(others.map(({ object }) => object.value));
  const roots = typed.filter((subject) => !mentioned.has(subject));
  return roots.length > 0 ? roots : typed;
}

/** The IRIs that a property of some subjects has, one subject after the other. */
function valuesOf(quads: readonly Quad[], subjects: readonly string[], property: string): string[] {
  const said = quads.filter(
    ({ predicate, object }) => predicate.value === property && object.termType === 'NamedNode',
  );
  const bySubject = grouped(said, ({ subject }) => subject.value);
  return subjects.flatMap((subject) => (bySubject.get(subject) ?? []).map(({ object }) => object.value));
}
