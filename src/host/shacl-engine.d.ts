/** What is used of two libraries that come without types. */
declare module 'shacl-engine' {
  import type { Term } from '@rdfjs/data-model';

  interface Dataset {
    readonly size: number;
    match(subject?: Term | null, predicate?: Term | null, object?: Term | null): Iterable<unknown>;
  }

  export class Validator {
    constructor(shapes: Dataset, options: { factory: unknown });
    /** `shapes`: pointers to the shapes to check against. */
    validate(
      data: { readonly dataset: Dataset; readonly terms: readonly Term[] },
      shapes: readonly { readonly terms: readonly Term[] }[],
    ): Promise<{
      readonly conforms: boolean;
      readonly results: readonly { readonly path?: readonly { readonly predicates: readonly Term[] }[] }[];
    }>;
  }
}

declare module '@rdfjs/data-model' {
  export interface Term {
    readonly termType: string;
    readonly value: string;
    equals(other: Term | null | undefined): boolean;
  }
  export interface Quad {
    readonly subject: Term;
    readonly predicate: Term;
    readonly object: Term;
  }
  const factory: {
    fromTerm(term: object): Term;
    namedNode(iri: string): Term;
    quad(subject: Term, predicate: Term, object: Term): Quad;
  };
  export default factory;
}
