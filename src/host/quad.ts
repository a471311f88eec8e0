/** A term as RDF/JS has it (https://rdf.js.org/data-model-spec/), as far as data in components goes. */
export interface Term {
  readonly termType: string;
  readonly value: string;
  /** Of literals. */
  readonly language?: string;
  readonly datatype?: { readonly value: string };
}

/** A quad as RDF/JS has it: those of every library will do. */
export interface Quad {
  readonly subject: Term;
  readonly predicate: Term;
  readonly object: Term;
  readonly graph: Term;
}
