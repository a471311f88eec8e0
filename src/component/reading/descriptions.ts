import type { Quad, Term } from '@rdfjs/types';
import { isObject } from '../canonical-capability.js';
import { FIELDS, type Field } from '../fields.js';
import { labelOfIri } from '../iri-label.js';
import { partIndex } from '../part-iri.js';
import { LIMITS } from '../values.js';
import { NAMES, RDF_TYPE, type Vocabulary } from '../vocabulary.js';
import { CapabilityReader, GraphNodes } from './capability-nodes.js';
import { addClaim, type Claim, type Claims, checkMetadata } from './claims.js';
import { uriInAddress, withoutBase } from './component-address.js';
import { addDescription, type Described, nothingDescribed } from './described.js';

/**
 * Finds the components that a graph describes: every subject with a term of the vocabulary. A subject
 * without a uri is itself the uri; with `base`, the beginning of a node's addresses of components, see `uriInAddress`.
 * Invalid descriptions are set apart; the others are returned nevertheless. Pointers are `/<index>/<field>`.
 */
export function componentsFromQuads(quads: Iterable<Quad>, vocabulary: Vocabulary, base?: string): Described {
  const descriptions = new Descriptions(vocabulary, base);
  for (const quad of quads) descriptions.add(quad);
  return descriptions.read();
}

/** Without this word a document can have no capabilities. Looks through the whole text: once, however many graphs are in it. */
export function mayHaveCapabilities(text: string): boolean {
  return text.includes('capability');
}

/** The descriptions of components in a graph whose quads come one by one, in any order. */
export class Descriptions {
  readonly #vocabulary: Vocabulary;
  readonly #base: string | undefined;
  /** Kept only of graphs that speak of capabilities. */
  readonly #nodes: GraphNodes | undefined;
  readonly #bySubject = new Map<string, Description>();
  #last: Description | undefined;

  /** @param hasCapabilities may the graph speak of capabilities? (see `mayHaveCapabilities`) */
  constructor(vocabulary: Vocabulary, base?: string, hasCapabilities = true) {
    this.#vocabulary = vocabulary;
    this.#base = base;
    this.#nodes = hasCapabilities ? new GraphNodes() : undefined;
  }

  /** Takes one quad; ignores it unless it has a term of the vocabulary. */
  add(quad: Quad): void {
    const { subject, predicate, object } = quad;
    const { fields, component, predicates } = this.#vocabulary;
    const field = fields.get(predicate.value);
    if (field) {
      // A module that a capability names is described in the same terms.
      if (subject.termType === 'BlankNode') this.#nodes?.add(quad);
      addClaim(this.#descriptionOf(subject).claims, field, claimOf(object, field, this.#base));
    } else if (predicate.value === RDF_TYPE && object.value === component) this.#descriptionOf(subject);
    else if (predicate.value === predicates.capability)
      this.#descriptionOf(subject).capabilities.push(object);
    else this.#nodes?.add(quad);
  }

  /** Checks the descriptions. To be called once, when all quads have been added. */
  read(): Described {
    const described = nothingDescribed();
    this.#readCapabilities();
    for (const [index, [uri, claims]] of [...byUri(this.#bySubject.values(), this.#base)].entries()) {
      if (isUnnamed(claims)) claims.label = [{ value: labelOfIri(uri), path: PATHS.label }];
      addDescription(described, uri, checkMetadata(claims, [index]));
    }
    return described;
  }

  /** Nodes that a capability consists of are no descriptions of components. */
  #readCapabilities(): void {
    const { namespace } = this.#vocabulary;
    const nodes = this.#nodes ?? new GraphNodes();
    for (const { subject, claims, capabilities } of [...this.#bySubject.values()]) {
      if (capabilities.length === 0) continue;
      const reader = new CapabilityReader(nodes, namespace);
      const inOrder = capabilities.sort((one, other) => partIndex(one.value) - partIndex(other.value));
      const read = inOrder.slice(0, LIMITS.values).flatMap((object) => reader.read(object));
      const isOfOthers = Object.keys(claims).length === 0;
      claims.capability = read.map((value) => ({
        value: isOfOthers ? uninvoked(value) : value,
        path: PATHS.capability,
      }));
      if (isOfOthers) for (const name of nameIn(nodes, subject)) addClaim(claims, 'label', name);
      for (const key of reader.visited)
        if (key.startsWith('BlankNode ') && !this.#bySubject.get(key)?.claims.label)
          this.#bySubject.delete(key);
    }
  }

  /** Documents write the quads of one subject together, so the description is most often that of the quad before. */
  #descriptionOf(subject: Term): Description {
    const last = this.#last;
    if (last?.subject.value === subject.value && last.subject.termType === subject.termType) return last;
    const key = `${subject.termType} ${subject.value}`;
    const description = this.#bySubject.get(key) ?? { subject, claims: {}, capabilities: [] };
    this.#bySubject.set(key, description);
    this.#last = description;
    return description;
  }
}

interface Description {
  readonly subject: Term;
  readonly claims: Claims;
  /** The objects of `ac:capability`. */
  readonly capabilities: Term[];
}

/** An application that is described only in the draft's vocabulary has no module, and does not speak our events. */
function uninvoked(capability: unknown): unknown {
  return isObject(capability) ? { invocation: [], ...capability } : capability;
}

/** An application need not be named (draft, section 4); a component of the vocabulary has a label. */
function isUnnamed(claims: Claims): boolean {
  return FIELDS.every(
    (field) => (claims[field] !== undefined) === (field === 'uri' || field === 'capability'),
  );
}

const EACH_NAME = NAMES.map((iri) => [iri]);

/** What others call the subject of a description. */
function nameIn(nodes: GraphNodes, subject: Term): Claim[] {
  const name = EACH_NAME.flatMap((name) => nodes.values(subject, name)).find(
    ({ termType }) => termType === 'Literal',
  );
  return name ? [{ value: name.value, path: PATHS.label }] : [];
}

/** Where a value of a graph stands, for the pointers of faults: a graph has no places but the fields. */
const PATHS = Object.fromEntries(FIELDS.map((field) => [field, [field]])) as unknown as Readonly<
  Record<Field, Claim['path']>
>;

/** IRIs and literals are read alike, because existing pods write either. A blank node has no value that could be read. */
function claimOf(term: Term, field: Field, base: string | undefined): Claim {
  const value = term.termType === 'NamedNode' || term.termType === 'Literal' ? term.value : undefined;
  return { value: field === 'uri' ? withoutBase(value, base) : value, path: PATHS[field] };
}

/** Puts together what different subjects say of one uri: they describe the same component, and have to agree. */
function byUri(descriptions: Iterable<Description>, base: string | undefined): Map<string, Claims> {
  const merged = new Map<string, Claims>();
  for (const { subject, claims } of descriptions) {
    if (!claims.uri && subject.termType === 'NamedNode') {
      claims.uri = [{ value: uriInAddress(subject.value, base), path: PATHS.uri }];
    }
    const uri = String(claims.uri?.[0]?.value ?? `_:${subject.value}`);
    const before = merged.get(uri);
    if (!before) merged.set(uri, claims);
    else for (const field of FIELDS) for (const value of claims[field] ?? []) addClaim(before, field, value);
  }
  return merged;
}
