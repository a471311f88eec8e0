import { compareText } from '../lib/compare-text.js';
import { isKind } from './capability.js';
import { iriOfName, type Member, membersOf, type NodeKind, nameOfIri } from './capability-terms.js';

export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * A capability in the one form that all nodes store: names as short as they may be, lists where there may be several
 * values, nothing empty. What is no capability comes back as it is; the rules for metadata refuse it then.
 * @param own the namespace of the vocabulary
 */
export function canonicalCapability(value: unknown, own: string): unknown {
  return canonicalNode(value, 'capability', own);
}

function canonicalNode(value: unknown, kind: NodeKind, own: string): unknown {
  if (!isObject(value)) return value;
  const { id, type, ...rest } = value;
  const others: Record<string, unknown> = rest;
  // Only invocations say what they are, and only they and capabilities have names; others may, as in the draft's context.
  const isNamed = id !== undefined && (isKind(kind) || kind === 'capability');
  const result: Record<string, unknown> = { ...(isNamed && { id }), ...(isKind(kind) && { type }) };
  // In the order of the table, so that the same capability is always the same text.
  for (const member of membersOf(kind, own)) {
    const one = canonicalValue(others[member.key] ?? undefined, member, own);
    if (one !== undefined) result[member.key] = one;
    delete others[member.key];
  }
  return { ...result, ...others };
}

function canonicalValue(value: unknown, { is, isList, isNeeded }: Member, own: string): unknown {
  const one = (item: unknown) => {
    if (is === 'text' || is === 'iri') return item;
    if (is === 'json') return sorted(item);
    if (is === 'name') return canonicalName(item, own);
    return is === 'invocation' ? canonicalInvocation(item, own) : canonicalNode(item, is, own);
  };
  if (!isList) return value === undefined ? undefined : one(value);
  const items = value === undefined ? [] : Array.isArray(value) ? value : [value];
  // An empty list (no way of invoking is known) differs from a missing one (nothing is said about it).
  const isSaid = isNeeded || (is === 'invocation' && Array.isArray(value));
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
  const type = canonicalName(value.type, own);
  return isKind(type) ? canonicalNode({ ...value, type }, type, own) : { ...value, type };
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
