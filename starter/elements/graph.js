/** Reading of RDF/JS quads by elements of this set: always of one subject, and by full IRIs. */
export const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';
export const VCARD = 'http://www.w3.org/2006/vcard/ns#';
export const LDP = 'http://www.w3.org/ns/ldp#';
export const DCT = 'http://purl.org/dc/terms/';

const PRIMARY_TOPIC = 'http://xmlns.com/foaf/0.1/primaryTopic';
const LABELS = [
  'http://www.w3.org/2006/vcard/ns#fn',
  'http://xmlns.com/foaf/0.1/name',
  'http://www.w3.org/2000/01/rdf-schema#label',
  'http://www.w3.org/2004/02/skos/core#prefLabel',
  'http://purl.org/dc/terms/title',
  'http://purl.org/dc/elements/1.1/title',
  'https://schema.org/name',
  'http://schema.org/name',
  'https://www.w3.org/ns/activitystreams#name',
  'http://www.w3.org/2002/12/cal/ical#summary',
  'http://xmlns.com/foaf/0.1/nick',
];
const PICTURES = [
  'http://www.w3.org/2006/vcard/ns#hasPhoto',
  'http://xmlns.com/foaf/0.1/img',
  'http://xmlns.com/foaf/0.1/depiction',
  'https://schema.org/image',
  'http://schema.org/image',
];

/** The objects of a subject's triples with a predicate, as RDF/JS terms. */
export function objectsOf(quads, subject, predicate) {
  return quads
    .filter((quad) => quad.subject.value === subject && quad.predicate.value === predicate)
    .map(({ object }) => object);
}

export function firstOf(quads, subject, predicate) {
  return objectsOf(quads, subject, predicate)[0]?.value;
}

/** What a subject is called; the end of its IRI where nobody says. */
export function labelOf(quads, subject) {
  for (const predicate of LABELS) {
    const label = firstOf(quads, subject, predicate);
    if (label?.trim()) return label;
  }
  return endOf(subject);
}

export function pictureOf(quads, subject) {
  for (const predicate of PICTURES) {
    const picture = objectsOf(quads, subject, predicate).find(({ termType }) => termType === 'NamedNode');
    if (picture) return picture.value;
  }
  return undefined;
}

/** The last words of an IRI, for people. */
export function endOf(iri) {
  const end = /([^/#?]+)[/#?]*$/.exec(iri)?.[1] ?? iri;
  try {
    return decodeURIComponent(end);
  } catch {
    return end;
  }
}

/** What a document is about: the entry itself where it is described, else its primary topic, else who has most triples. */
export function topicOf(quads, entry) {
  const said = new Map();
  for (const { subject } of quads) said.set(subject.value, (said.get(subject.value) ?? 0) + 1);
  const document = entry.replace(/#.*$/s, '');
  const topic = firstOf(quads, document, PRIMARY_TOPIC);
  const [most] = [...said].sort(([, one], [, other]) => other - one)[0] ?? [];
  if (entry.includes('#') && said.has(entry)) return entry;
  return topic !== undefined && said.has(topic) ? topic : said.has(entry) ? entry : most;
}

/** The things of some classes in a document to which nothing else in it leads; what it is about, where it says so or has none. */
export function topicsOf(quads, entry, classes) {
  const document = entry.replace(/#.*$/s, '');
  const isSaid = entry !== document || firstOf(quads, document, PRIMARY_TOPIC) !== undefined;
  const mentioned = new Set(
    quads.filter(({ subject, object }) => subject.value !== object.value).map(({ object }) => object.value),
  );
  const roots = quads
    .filter(({ predicate, object }) => predicate.value === `${RDF}type` && classes.includes(object.value))
    .map(({ subject }) => subject.value)
    .filter((subject) => !mentioned.has(subject));
  return isSaid || roots.length === 0 ? [topicOf(quads, entry) ?? entry] : [...new Set(roots)];
}
