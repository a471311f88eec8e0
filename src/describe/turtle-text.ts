import type { Quad, Term } from '@rdfjs/types';
import { HYDRA, ODRL } from '../component/capability-terms.js';
import { isPart } from '../component/part-iri.js';
import { nodeKey } from '../component/reading/capability-nodes.js';
import { AC, RDF_TYPE, type Vocabulary, XSD, XSD_BOOLEAN } from '../component/vocabulary.js';
import { grouped } from '../lib/grouped.js';
import { percentEncoded } from '../lib/iri.js';

/** In an IRI, what may be shortened: everything else would have to be escaped. */
const LOCAL = /^[A-Za-z][\w-]*$/;

/** What each level of brackets is indented by, and how many there are at most: what is deeper has a label, and stands for itself. */
const INDENT = '    ';
const MOST_LEVELS = 16;

/** Turtle as people write it: what has no name of its own stands in brackets, where it belongs. */
export function turtleText(quads: readonly Quad[], vocabulary: Vocabulary): string {
  const iris = new IriTexts({ semcom: vocabulary.namespace, ac: AC, hydra: HYDRA, odrl: ODRL });
  const text = new NodeTexts(quads, iris).all().join('\n');
  return `${iris.prefixes()}\n${text}`;
}

/** Writes IRIs, and remembers the prefixes that it has used. */
class IriTexts {
  readonly #prefixes: readonly (readonly [prefix: string, namespace: string])[];
  readonly #used = new Set<string>();

  constructor(prefixes: Readonly<Record<string, string>>) {
    this.#prefixes = Object.entries(prefixes);
  }

  write(iri: string): string {
    if (iri === RDF_TYPE) return 'a';
    for (const [prefix, namespace] of this.#prefixes) {
      if (!iri.startsWith(namespace) || !LOCAL.test(iri.slice(namespace.length))) continue;
      this.#used.add(prefix);
      return `${prefix}:${iri.slice(namespace.length)}`;
    }
    return `<${percentEncoded(iri)}>`;
  }

  prefixes(): string {
    const used = this.#prefixes.filter(([prefix]) => this.#used.has(prefix));
    return used.map(([prefix, iri]) => `@prefix ${prefix}: <${iri}>.\n`).join('');
  }
}

/** Writes the nodes of a graph. */
class NodeTexts {
  readonly #iris: IriTexts;
  readonly #bySubject: ReadonlyMap<string, readonly Quad[]>;
  readonly #references = new Map<string, number>();
  /** Blank nodes that have a label, because they are named in several places, in a circle or far down. */
  readonly #labels = new Map<string, string>();
  readonly #written = new Set<string>();

  constructor(quads: readonly Quad[], iris: IriTexts) {
    this.#iris = iris;
    this.#bySubject = grouped(quads, ({ subject }) => nodeKey(subject));
    for (const { object } of quads)
      if (isNameless(object))
        this.#references.set(nodeKey(object), (this.#references.get(nodeKey(object)) ?? 0) + 1);
  }

  /** Each subject that stands for itself, and after those what is only reached in a circle, or far down. */
  all(): string[] {
    const roots = [...this.#bySubject].filter(
      ([key, [first]]) => !first || this.#standsAlone(key, first.subject),
    );
    const texts = roots.map(([key, own]) => this.#root(key, own));
    for (const [key, own] of this.#bySubject) if (!this.#written.has(key)) texts.push(this.#root(key, own));
    return texts;
  }

  #standsAlone(key: string, subject: Term): boolean {
    return !isNameless(subject) || this.#references.get(key) !== 1;
  }

  #root(key: string, [first, ...others]: readonly Quad[]): string {
    if (!first) return '';
    if (isNameless(first.subject)) this.#labelOf(key);
    this.#written.add(key);
    return `${this.#term(first.subject, '')} ${this.#statements([first, ...others], INDENT)}.\n`;
  }

  #statements(quads: readonly Quad[], indent: string): string {
    return quads
      .map(({ predicate, object }) => `${this.#iris.write(predicate.value)} ${this.#term(object, indent)}`)
      .join(`;\n${indent}`);
  }

  #term(term: Term, indent: string): string {
    if (term.termType === 'Literal') return this.#literal(term);
    return isNameless(term) ? this.#nameless(nodeKey(term), indent) : this.#iris.write(term.value);
  }

  #nameless(key: string, indent: string): string {
    const own = this.#bySubject.get(key) ?? [];
    const label = this.#labels.get(key);
    if (label !== undefined) return label;
    const isTooDeep = indent.length > MOST_LEVELS * INDENT.length;
    if (isTooDeep || this.#references.get(key) !== 1 || this.#written.has(key)) return this.#labelOf(key);
    this.#written.add(key);
    const inner = indent + INDENT;
    return own.length === 0 ? '[]' : `[\n${inner}${this.#statements(own, inner)}\n${indent}]`;
  }

  #labelOf(key: string): string {
    const label = this.#labels.get(key) ?? `_:b${this.#labels.size + 1}`;
    this.#labels.set(key, label);
    return label;
  }

  #literal({ value, datatype, language }: Extract<Term, { termType: 'Literal' }>): string {
    if (datatype.value === XSD_BOOLEAN && /^(true|false)$/.test(value)) return value;
    if (language) return `${JSON.stringify(value)}@${language}`;
    const type = datatype.value === `${XSD}string` ? '' : `^^${this.#iris.write(datatype.value)}`;
    return JSON.stringify(value) + type;
  }
}

function isNameless({ termType, value }: Term): boolean {
  return termType === 'BlankNode' || (termType === 'NamedNode' && isPart(value));
}
