import { compareText } from '../lib/compare-text.js';
import { isExcessiveTemplate, TEMPLATE_BOUNDS } from '../lib/uri-template.js';
import { isKind, KINDS } from './capability.js';
import {
  IRI_TEMPLATE,
  iriOfName,
  type Member,
  membersOf,
  type NodeKind,
  nameOfIri,
} from './capability-terms.js';

type JsonObject = Readonly<Record<string, unknown>>;

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
  const named = canonicalName(value.type, own);
  const type = named === IRI_TEMPLATE ? KINDS.template : named;
  return isKind(type) ? canonicalNode({ ...value, type }, type, own) : { ...value, type };
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What is taken of a capability while everything else that is said of its component is, and what is left out of it. */
export interface UsablePart {
  /** Undefined when the capability is left out whole. */
  readonly capability: unknown;
  /** Where in the capability something is left out, and why. */
  readonly faults: readonly { readonly path: readonly PropertyKey[]; readonly detail: string }[];
}

const UNKNOWN_KIND = `is no kind of invocation that is known here: there are ${Object.values(KINDS).join(', ')}`;
const TOO_MANY_VARIABLES = `may name at most ${TEMPLATE_BOUNDS.variables} variables, each at most ${TEMPLATE_BOUNDS.repetitions} times`;

/**
 * The part of a capability that can be used (design, section 16), in its canonical form and not checked yet. Invocations of unknown
 * kinds are left out, and so is a capability that has only these, or a URI template with more variables than readers may expand.
 */
export function usablePart(capability: unknown): UsablePart {
  if (!isObject(capability) || !Array.isArray(capability.invocation)) return { capability, faults: [] };
  const invocation: readonly unknown[] = capability.invocation;
  const faults = invocation.flatMap((one, i) => {
    const { type, template } = isObject(one) ? one : {};
    if (typeof type === 'string' && !isKind(type))
      return [{ i, path: ['invocation', i, 'type'], detail: UNKNOWN_KIND }];
    return typeof template === 'string' && isExcessiveTemplate(template)
      ? [{ i, path: ['invocation', i, 'template'], detail: TOO_MANY_VARIABLES }]
      : [];
  });
  if (faults.length === 0) return { capability, faults };
  const usable = invocation.filter((_, at) => !faults.some(({ i }) => i === at));
  const isLeftOut = usable.length === 0 || faults.some(({ detail }) => detail === TOO_MANY_VARIABLES);
  return { capability: isLeftOut ? undefined : { ...capability, invocation: usable }, faults };
}
