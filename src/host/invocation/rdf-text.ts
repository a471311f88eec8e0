import type { Quad, Term } from '../quad.js';
import type { Tools } from './tools.js';

const JSON_LD = 'application/ld+json';

/** Quads in a format of the Turtle family, or as expanded JSON-LD; all IRIs are absolute. */
export function rdfText(quads: readonly Quad[], format: string, { toTriples }: Tools): string {
  return format === JSON_LD ? JSON.stringify(expanded(quads)) : toTriples(quads);
}

function expanded(quads: readonly Quad[]): object[] {
  const nodes = new Map<string, Record<string, unknown>>();
  for (const { subject, predicate, object } of quads) {
    const id = idOf(subject);
    const node = nodes.get(id) ?? { '@id': id };
    nodes.set(id, node);
    const values = Object.hasOwn(node, predicate.value) ? (node[predicate.value] as unknown[]) : [];
    node[predicate.value] = [...values, jsonOf(object)];
  }
  return [...nodes.values()];
}

function jsonOf(term: Term): object {
  if (term.termType !== 'Literal') return { '@id': idOf(term) };
  const { value, language, datatype } = term;
  if (language) return { '@value': value, '@language': language };
  return { '@value': value, ...(datatype ? { '@type': datatype.value } : {}) };
}

function idOf({ termType, value }: Term): string {
  return termType === 'BlankNode' ? `_:${value}` : value;
}
