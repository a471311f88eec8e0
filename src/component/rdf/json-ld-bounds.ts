import type jsonld from 'jsonld';
import { parseBoundedJson } from '../../lib/bounded-json.js';
import { explain, MalformedInput } from '../../lib/faults.js';
import { withoutStop } from '../../lib/sentence.js';

/** Longest base IRI or namespace, in characters; the same limit as for a component's uri. */
const LONGEST_BASE = 2048;

/**
 * Bounds on what makes a JSON-LD document slow to expand. A context scoped to a term is processed at each use of the
 * term, and nested ones multiply. A context within another one copies the terms of that. The values of one property are
 * compared with one another, which takes quadratic time.
 */
const MOST = {
  contexts: 20_000,
  scopedContexts: 16,
  /** Contexts within the term definitions of contexts. */
  scopes: 2,
  /** Terms that contexts copy, as they are written: a scoped one counts once, and one that is named by its URL has none. */
  copiedTerms: 5_000_000,
  /** Sum of the squares of the numbers of values: one property of 10,000 values, or 100 of 1,000. */
  comparisons: 100_000_000,
} as const;

/** A value that has not been checked yet, in how many contexts it stands, and how many terms these define. */
interface Waiting {
  readonly value: object;
  readonly scopes: number;
  readonly terms: number;
}

/** Parses a document, unless it would take too long to expand. @throws MalformedInput saying what is wrong */
export function parseJsonLd(text: string): jsonld.JsonLdDocument {
  const document = parseBoundedJson(text) as jsonld.JsonLdDocument;
  refuseCostly(document);
  return document;
}

/** The errors of jsonld have a general message; the details, where there are any, name the cause. */
export function explainJsonLd(error: unknown): string {
  const { details } = error as { details?: { cause?: unknown } };
  return withoutStop(explain(details?.cause ?? error));
}

function refuseCostly(document: unknown): void {
  const counts = { contexts: 0, scopedContexts: 0, copiedTerms: 0, comparisons: 0 };
  const waiting: Waiting[] = isNode(document) ? [{ value: document, scopes: 0, terms: 0 }] : [];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { value, scopes } = next;
    let { terms } = next;
    if (Array.isArray(value)) {
      for (const item of value) if (isNode(item)) waiting.push({ value: item, scopes, terms });
    } else {
      for (const context of '@context' in value ? [value['@context']].flat() : []) {
        // What is around it counts no more.
        if (context === null) terms = 0;
        counts.copiedTerms += terms;
        if (isNode(context)) terms += Object.keys(context).length;
      }
      for (const [key, member] of Object.entries(value)) {
        count(key, member, scopes, counts);
        if (isNode(member))
          waiting.push({ value: member, scopes: scopes + Number(key === '@context'), terms });
      }
    }
    refuseMore(counts);
  }
}

type Counts = Record<'contexts' | 'scopedContexts' | 'copiedTerms' | 'comparisons', number>;

function count(key: string, member: unknown, scopes: number, counts: Counts): void {
  if (key === '@base' && typeof member === 'string') refuseLongBase(member);
  if (key === '@context') {
    // Each context of a list is processed by itself.
    const contexts = Array.isArray(member) ? member.length : 1;
    counts.contexts += contexts;
    if (scopes > 0) counts.scopedContexts += contexts;
    if (scopes > MOST.scopes) refuse(`contexts scoped more than ${MOST.scopes} deep`);
  } else if (Array.isArray(member) && scopes === 0 && !UNCOMPARED.has(key)) {
    counts.comparisons += member.length ** 2;
  }
}

/** Nodes of a graph and items of a list are not compared with one another. */
const UNCOMPARED = new Set(['@graph', '@list']);

function refuseMore(counts: Counts): void {
  if (counts.contexts > MOST.contexts) refuse(`more than ${MOST.contexts} contexts`);
  if (counts.scopedContexts > MOST.scopedContexts)
    refuse(`more than ${MOST.scopedContexts} contexts that are scoped to a term`);
  if (counts.copiedTerms > MOST.copiedTerms)
    refuse(`contexts within others that copy more than ${MOST.copiedTerms} terms`);
  if (counts.comparisons > MOST.comparisons) refuse('properties with too many values');
}

/** Every relative IRI and prefixed name becomes a copy of the base or namespace. @throws MalformedInput for a long one */
export function refuseLongBase(iri: string): void {
  if (iri.length <= LONGEST_BASE) return;
  throw new MalformedInput(`A base IRI or namespace has more than ${LONGEST_BASE} characters`);
}

function refuse(what: string): never {
  throw new MalformedInput(`This JSON-LD takes too long to expand: it has ${what}`);
}

function isNode(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
