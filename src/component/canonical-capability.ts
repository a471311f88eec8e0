import { compareText } from '../lib/compare-text.js';
import { KINDS } from './capability.js';
import { IRI_TEMPLATE, iriOfName, type Member, membersOf, nameOfIri } from './capability-terms.js';
import { XSD } from './vocabulary.js';

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * A capability in the one form that all nodes store: names as short as they may be, lists where there may be several
 * values, nothing empty. What is no capability comes back as it is; the rules for metadata refuse it then.
 * @param own the namespace of the vocabulary
 */
export function canonicalCapability(value: unknown, own: string): unknown {
  return canonicalNode(value, 'capability', own);
}

function canonicalNode(value: unknown, kind: string, own: string): unknown {
  if (!isObject(value)) return value;
  const members = new Map(membersOf(kind, own).map((member) => [member.key, member]));
  const { id, type, ...rest } = value;
  const others: Record<string, unknown> = rest;
  const result: Record<string, unknown> = headOf(kind, id, type);
  // In the order of the table, so that the same capability is always the same text.
  for (const [key, member] of members) {
    const one = canonicalValue(others[key], member, own);
    if (one !== undefined) result[key] = one;
    delete others[key];
  }
  return { ...result, ...others };
}

/** Only invocations say what they are, and only they and capabilities have names; others may, as in the draft's context. */
function headOf(kind: string, id: unknown, type: unknown): Record<string, unknown> {
  const isInvocation = isKnown(kind);
  const isNamed = id !== undefined && (isInvocation || kind === 'capability');
  return { ...(isNamed ? { id } : {}), ...(isInvocation ? { type } : {}) };
}

function isKnown(kind: unknown): kind is string {
  return (Object.values(KINDS) as unknown[]).includes(kind);
}

function canonicalValue(value: unknown, { is, isList, isNeeded }: Member, own: string): unknown {
  const one = (item: unknown) => {
    if (is === 'text' || is === 'iri') return item;
    if (is === 'json') return sorted(item);
    if (is === 'name') return canonicalName(item, own);
    return is === 'other' ? canonicalInvocation(item, own) : canonicalNode(item, is, own);
  };
  if (!isList) return value === null || value === undefined ? undefined : one(value);
  const items = value === undefined || value === null ? [] : Array.isArray(value) ? value : [value];
  // An empty list (no way of invoking is known) differs from a missing one (nothing is said about it).
  const isSaid = isNeeded || (is === 'other' && Array.isArray(value));
  if (items.length === 0 && !isSaid) return undefined;
  // Nodes keep their order, which their names tell in RDF; values have none.
  return is === 'text' || is === 'iri' ? distinctSorted(items) : items.map(one);
}

/** Values as a set, which is the same however it was written. */
function distinctSorted(values: readonly unknown[]): unknown[] {
  const byText = new Map(
    values.map((value) => [typeof value === 'string' ? value : JSON.stringify(value), value]),
  );
  return [...byText].sort(([one], [other]) => compareText(one, other)).map(([, value]) => value);
}

/** As JSON-LD 1.1 writes JSON, section 10.2. */
function sorted(value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => compareText(one, other)));
}

function canonicalName(value: unknown, own: string): unknown {
  return typeof value === 'string' ? nameOfIri(iriOfName(value, own), own) : value;
}

function canonicalInvocation(value: unknown, own: string): unknown {
  if (!isObject(value)) return value;
  const named = canonicalName(value.type, own);
  const type = named === IRI_TEMPLATE ? KINDS.template : named;
  if (isKnown(type)) return canonicalNode({ ...value, type }, type, own);
  const { id, type: _type, ...others } = value;
  return { ...(id === undefined ? {} : { id }), type, ...graphNode(others, own) };
}

/** A node of which nothing is known but that it is one: see `GraphNode`. */
function graphNode(node: JsonObject, own: string): JsonObject {
  const members = Object.entries(node).flatMap(([key, value]): [string, unknown][] => {
    const items = (Array.isArray(value) ? value : [value]).filter((one) => one !== null && one !== undefined);
    if (items.length === 0) return [];
    if (key === '@type') return [[key, distinctSorted(items.map((one) => canonicalName(one, own)))]];
    return [[String(canonicalName(key, own)), distinctSorted(items.map((one) => graphValue(one, own)))]];
  });
  return sorted(Object.fromEntries(members)) as JsonObject;
}

function graphValue(value: unknown, own: string): unknown {
  if (typeof value === 'boolean') return { '@value': String(value), '@type': `${XSD}boolean` };
  if (typeof value === 'number')
    return { '@value': String(value), '@type': `${XSD}${Number.isInteger(value) ? 'integer' : 'double'}` };
  if (!isObject(value) || '@id' in value) return value;
  if (!('@value' in value)) return graphNode(value, own);
  return Object.keys(value).length === 1 ? value['@value'] : sorted(value);
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
