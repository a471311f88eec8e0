import factory, { type Term, type Quad as Triple } from '@rdfjs/data-model';
import { Validator } from 'shacl-engine';
import { canonicalShape } from '../component/canonical-shape.js';
import { grouped } from '../lib/grouped.js';
import type { Term as PlainTerm, Quad } from './quad.js';

const PATH = 'http://www.w3.org/ns/shacl#path';

/** What is checked: things in a graph, against shapes in another one. */
export interface Check {
  readonly quads: readonly Quad[];
  /** IRIs of what the data is about. */
  readonly topics: readonly string[];
  /** What the documents of the shapes say. */
  readonly shapeQuads: readonly Quad[];
  /** IRIs of the shapes; it is enough to conform to one. */
  readonly shapes: readonly string[];
}

export interface Conformance {
  readonly conforms: boolean;
  /** Properties with which it does not conform. */
  readonly faults: readonly string[];
  /** Properties that the shapes are about, canonical. */
  readonly properties: ReadonlySet<string>;
}

/** Checks data against shapes (SHACL Core), in the page. The spellings of schema.org are one. @throws where the shapes are broken */
export async function conformanceOf({ quads, topics, shapeQuads, shapes }: Check): Promise<Conformance> {
  const data = new Graph(quads);
  const graph = new Graph(shapeQuads);
  const validator = new Validator(graph, { factory });
  const terms = topics.map((topic) => factory.namedNode(canonicalShape(topic)));
  const properties = new Set(
    [...graph.match(null, factory.namedNode(PATH))].map(({ object }) => object.value),
  );
  const faults = new Set<string>();
  for (const shape of shapes) {
    const pointer = { terms: [factory.namedNode(canonicalShape(shape))] };
    const { conforms, results } = await validator.validate({ dataset: data, terms }, [pointer]);
    if (conforms) return { conforms, faults: [], properties };
    for (const { path = [] } of results)
      for (const { predicates } of path) for (const { value } of predicates) faults.add(value);
  }
  return { conforms: false, faults: [...faults], properties };
}

/** As much of an RDF/JS dataset as a check needs, found by subject or object; IRIs are canonical. */
class Graph {
  readonly #all: readonly Triple[];
  readonly #bySubject: ReadonlyMap<string, readonly Triple[]>;
  readonly #byObject: ReadonlyMap<string, readonly Triple[]>;

  constructor(quads: readonly Quad[]) {
    this.#all = quads.map(({ subject, predicate, object }) =>
      factory.quad(termOf(subject), termOf(predicate), termOf(object)),
    );
    this.#bySubject = grouped(this.#all, ({ subject }) => subject.value);
    this.#byObject = grouped(this.#all, ({ object }) => object.value);
  }

  get size(): number {
    return this.#all.length;
  }

  match(subject?: Term | null, predicate?: Term | null, object?: Term | null): Triple[] {
    const byObject = object ? this.#byObject.get(object.value) : this.#all;
    const some = subject ? this.#bySubject.get(subject.value) : byObject;
    const fits = (wanted: Term | null | undefined, term: Term) => !wanted || wanted.equals(term);
    return (some ?? []).filter(
      (one) => fits(subject, one.subject) && fits(predicate, one.predicate) && fits(object, one.object),
    );
  }
}

function termOf(term: PlainTerm): Term {
  const { termType, value } = term;
  return factory.fromTerm(termType === 'NamedNode' ? { termType, value: canonicalShape(value) } : term);
}
