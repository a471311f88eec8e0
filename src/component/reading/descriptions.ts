import type { Quad, Term } from '@rdfjs/types';
import { FIELDS, type Field, LIMITS, type Metadata } from '../metadata.js';
import { RDF_TYPE, type Vocabulary } from '../vocabulary.js';
import { addClaim, type Claim, type Claims, checkMetadata } from './claims.js';
import { uriInAddress, withoutBase } from './component-address.js';
import type { Described, InvalidDescription } from './described.js';

/** How many invalid descriptions of one document are reported: enough to see what is wrong with it. */
const REPORTED = 100;

/**
 * Finds the components that a graph describes: every subject with a term of the vocabulary. A subject
 * without a uri is itself the uri; with `base`, the beginning of a node's addresses of components, see `uriInAddress`.
 * Invalid descriptions are set apart; the others are returned nevertheless. Pointers are `/<place>/<field>`.
 */
export function componentsFromQuads(quads: Iterable<Quad>, vocabulary: Vocabulary, base?: string): Described {
  const descriptions = new Descriptions(vocabulary, base);
  for (const quad of quads) descriptions.add(quad);
  return descriptions.read();
}

/** The descriptions of components in a graph whose quads come one by one, in any order. */
export class Descriptions {
  readonly #vocabulary: Vocabulary;
  readonly #base: string | undefined;
  readonly #bySubject = new Map<string, Description>();
  #last: Description | undefined;

  constructor(vocabulary: Vocabulary, base?: string) {
    this.#vocabulary = vocabulary;
    this.#base = base;
  }

  /** Takes one quad; ignores it unless it has a term of the vocabulary. */
  add({ subject, predicate, object }: Quad): void {
    const field = this.#vocabulary.fields.get(predicate.value);
    const isComponent = predicate.value === RDF_TYPE && object.value === this.#vocabulary.component;
    if (!field && !isComponent) return;
    const { claims } = this.#descriptionOf(subject);
    if (field) addClaim(claims, field, claimOf(object, field, this.#base));
  }

  /** Checks the descriptions. To be called once, when all quads have been added. */
  read(): Described {
    const components: Metadata[] = [];
    const invalid: InvalidDescription[] = [];
    let place = 0;
    for (const [uri, claims] of byUri(this.#bySubject.values(), this.#base)) {
      const { metadata, faults } = checkMetadata(claims, [place]);
      if (metadata) components.push(metadata);
      else if (invalid.length < REPORTED) invalid.push({ subject: uri.slice(0, LIMITS.uri), faults });
      place += 1;
    }
    const unnamed = place - components.length - invalid.length;
    return { components, invalid, ...(unnamed === 0 ? {} : { unnamed }) };
  }

  /** Documents write the quads of one subject together, so the description is most often that of the quad before. */
  #descriptionOf(subject: Term): Description {
    const last = this.#last;
    if (last?.subject.value === subject.value && last.subject.termType === subject.termType) return last;
    const key = `${subject.termType} ${subject.value}`;
    const description = this.#bySubject.get(key) ?? { subject, claims: {} };
    this.#bySubject.set(key, description);
    this.#last = description;
    return description;
  }
}

interface Description {
  readonly subject: Term;
  readonly claims: Claims;
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
