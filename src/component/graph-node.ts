import { isAbsoluteIri } from '../lib/iri.js';
import { isText, LIMITS } from './values.js';

/** A node of RDF in JSON: lists of values by whole IRI, or by a name that stands for one. */
export interface GraphNode {
  readonly [key: string]: readonly GraphValue[];
}
/** A plain text; otherwise as in expanded JSON-LD. Types are names, too. */
export type GraphValue =
  | string
  | { readonly '@id': string }
  | { readonly '@value': string; readonly '@type'?: string; readonly '@language'?: string }
  | GraphNode;

/** A name that begins with `odrl:` or `ac:`, a plain one of the vocabulary, or a whole IRI. */
export function isName(value: unknown): value is string {
  return typeof value === 'string' && (isAbsoluteIri(value) || /^[a-z][\w-]*$/i.test(value));
}

/** What of an invocation is not a value of its node. */
const NO_VALUES: readonly string[] = ['id', 'type'];

/** Are all members lists of values, as `GraphNode` has them, so that they can be written in every syntax? */
export function isGraphNode(node: Readonly<Record<string, unknown>>, depth: number): boolean {
  return (
    depth > 0 &&
    Object.entries(node).every(([key, values]) => {
      if (NO_VALUES.includes(key)) return true;
      if (key === '@type') return Array.isArray(values) && values.every(isName);
      const isList = Array.isArray(values) && values.length > 0 && values.length <= LIMITS.values;
      return isName(key) && isList && values.every((value) => isGraphValue(value, depth));
    })
  );
}

function isGraphValue(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return isText(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const {
    '@id': id,
    '@value': text,
    '@type': type,
    '@language': language,
    ...others
  } = value as Record<string, unknown>;
  const isAlone = Object.keys(others).length === 0;
  if (id !== undefined) return isIri(id) && isAlone;
  if (text === undefined) return isGraphNode(value as Record<string, unknown>, depth - 1);
  const isTagged = language === undefined || (typeof language === 'string' && isLanguage(language));
  return (
    typeof text === 'string' && isText(text) && isTagged && (type === undefined || isIri(type)) && isAlone
  );
}

/** A language tag as Turtle can write it (RDF 1.1 Turtle, `LANGTAG`), with parts as long as BCP 47 allows. */
function isLanguage(tag: string): boolean {
  const [first = '', ...others] = tag.split('-');
  return /^[a-z]{1,8}$/i.test(first) && others.every((part) => /^[a-z\d]{1,8}$/i.test(part));
}

function isIri(value: unknown): boolean {
  return typeof value === 'string' && isAbsoluteIri(value) && isText(value);
}
