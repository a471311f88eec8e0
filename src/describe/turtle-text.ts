import type { Quad, Term } from '@rdfjs/types';
import { HYDRA, ODRL } from '../component/capability-terms.js';
import { isPart } from '../component/part-iri.js';
import { AC, RDF_TYPE, type Vocabulary, XSD, XSD_BOOLEAN } from '../component/vocabulary.js';

/** In an IRI, what may be shortened: everything else would have to be escaped. */
const LOCAL = /^[A-Za-z][\w-]*$/;

/**
 * Turtle as people write it, of one component: what has no name of its own stands in brackets,
 * where it belongs.
 */
export function turtleText(subject: string, quads: readonly Quad[], vocabulary: Vocabulary): string {
  const prefixes = Object.entries({ semcom: vocabulary.namespace, ac: AC, hydra: HYDRA, odrl: ODRL });
  const used = new Set<string>();
  const iriText = (iri: string) => {
    if (iri === RDF_TYPE) return 'a';
    for (const [prefix, namespace] of prefixes) {
      if (!iri.startsWith(namespace) || !LOCAL.test(iri.slice(namespace.length))) continue;
      used.add(prefix);
      return `${prefix}:${iri.slice(namespace.length)}`;
    }
    return `<${iri}>`;
  };
  const termText = (term: Term, indent: string): string => {
    if (term.termType === 'NamedNode' && isPart(term.value)) {
      const inner = `${indent}    `;
      return `[\n${inner}${nodeText(term.value, inner)}\n${indent}]`;
    }
    if (term.termType !== 'Literal') return iriText(term.value);
    const { value, datatype, language } = term;
    if (datatype.value === XSD_BOOLEAN) return value;
    const type = language
      ? `@${language}`
      : datatype.value === `${XSD}string`
        ? ''
        : `^^${iriText(datatype.value)}`;
    return JSON.stringify(value) + type;
  };
  const nodeText = (iri: string, indent: string): string =>
    quads
      .filter((quad) => quad.subject.value === iri)
      .map(({ predicate, object }) => `${iriText(predicate.value)} ${termText(object, indent)}`)
      .join(`;\n${indent}`);
  const text = `<${subject}> ${nodeText(subject, '    ')}.\n`;
  const heads = prefixes
    .filter(([prefix]) => used.has(prefix))
    .map(([prefix, iri]) => `@prefix ${prefix}: <${iri}>.\n`);
  return `${heads.join('')}\n${text}`;
}
