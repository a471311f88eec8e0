import type { Quad, Term } from '@rdfjs/types';
import { DataFactory, Writer } from 'n3';
import { HYDRA, ODRL } from '../component/capability-terms.js';
import { isPart } from '../component/part-iri.js';
import { nodeKey } from '../component/reading/capability-nodes.js';
import { AC, type Vocabulary } from '../component/vocabulary.js';
import { grouped } from '../lib/grouped.js';
import { percentEncoded } from '../lib/iri.js';

/** Levels of brackets at most: what is deeper has a label, and stands for itself. */
const MOST_LEVELS = 16;

/** Turtle as people write it: what has no name of its own stands in brackets, where it belongs. */
export function turtleText(quads: readonly Quad[], { namespace }: Vocabulary): string {
  const bySubject = grouped(quads, ({ subject }) => nodeKey(subject));
  const references = grouped(quads.map(({ object }) => object).filter(isNameless), nodeKey);
  const writer = new Writer({
    prefixes: prefixesIn(quads, { semcom: namespace, ac: AC, hydra: HYDRA, odrl: ODRL }),
  });
  const written = new Set<string>();
  /** Blank nodes that have a label, because they are named in several places, in a circle or far down. */
  const labels = new Map<string, Term>();
  const labelled = (key: string) => {
    const label = labels.get(key) ?? DataFactory.blankNode(`b${labels.size + 1}`);
    labels.set(key, label);
    return label;
  };
  const termOf = (term: Term, level: number): Term => {
    if (term.termType === 'NamedNode' && !isPart(term.value))
      return DataFactory.namedNode(percentEncoded(term.value));
    if (!isNameless(term)) return term;
    const key = nodeKey(term);
    const isOnce = references.get(key)?.length === 1 && !written.has(key) && !labels.has(key);
    if (!isOnce || level > MOST_LEVELS) return labelled(key);
    written.add(key);
    const own = bySubject.get(key) ?? [];
    return writer.blank(
      own.map(({ predicate, object }) => ({ predicate, object: termOf(object, level + 1) }) as never),
    );
  };
  const write = ([key, own]: readonly [string, readonly Quad[]]) => {
    written.add(key);
    for (const { subject, predicate, object } of own) {
      const about = isNameless(subject) ? labelled(key) : termOf(subject, 0);
      writer.addQuad(about as never, predicate as never, termOf(object, 1) as never);
    }
  };
  const standsAlone = (key: string, [{ subject }]: readonly [Quad, ...Quad[]]) =>
    !isNameless(subject) || references.get(key)?.length !== 1;
  for (const entry of bySubject) if (standsAlone(...entry)) write(entry);
  // What is only reached in a circle, or far down.
  for (const entry of bySubject) if (!written.has(entry[0])) write(entry);
  let text = '';
  writer.end((_, result) => {
    text = result;
  });
  return indented(text);
}

function isNameless({ termType, value }: Term): boolean {
  return termType === 'BlankNode' || (termType === 'NamedNode' && isPart(value));
}

/** Those that are used. An IRI that begins like a name with a prefix would be taken for one. */
function prefixesIn(quads: readonly Quad[], prefixes: Readonly<Record<string, string>>) {
  const iris = new Set(
    quads.flatMap((quad) => [quad.subject, quad.predicate, quad.object].map((term) => term.value)),
  );
  const begins = (start: string) => [...iris].some((iri) => iri.startsWith(start));
  const used = Object.entries(prefixes).filter(([prefix, iri]) => begins(iri) && !begins(`${prefix}:`));
  return Object.fromEntries(used);
}

/** The writer of n3 does not indent brackets within brackets. */
function indented(text: string): string {
  let depth = 0;
  const lines = text.split('\n').map((line) => {
    if (/^\s*\]/.test(line)) depth -= 1;
    const isWithin = depth > 0 || /^\s/.test(line) || line.startsWith(']');
    const indent = isWithin ? '    '.repeat(depth + 1) : '';
    if (line.endsWith('[')) depth += 1;
    return indent + line.trimStart();
  });
  return lines.join('\n').replace(/\.\n(?=[<_])/g, '.\n\n');
}
