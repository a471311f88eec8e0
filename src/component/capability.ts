import * as z from 'zod';
import { compareText } from '../lib/compare-text.js';
import { isAbsoluteIri } from '../lib/iri.js';
import { isExcessiveTemplate, isUriTemplate, TEMPLATE_BOUNDS } from '../lib/uri-template.js';
import { HYDRA, MEANINGS } from './capability-terms.js';
import { parseIntegrity } from './integrity.js';
import { LIMITS, list, text, webAddress } from './values.js';
import { AC, AS, DCT } from './vocabulary.js';

/** How much one component may say of how it is put to work. */
const MOST = {
  capabilities: 32,
  invocations: 16,
  mappings: 64,
  fragment: 16_384,
  template: 2_048,
  /** Characters of all capabilities of a component as JSON. */
  all: 65_536,
} as const;

/** What an action is when a capability names none (design, section 16). */
export const DEFAULT_ACTION = 'odrl:display';

/** The names of the kinds of invocation. */
export const KINDS = {
  element: 'ElementInvocation',
  fragment: 'FragmentInvocation',
  template: 'ac:UriTemplateInvocation',
} as const;

export type NodeKind = 'capability' | (typeof KINDS)[keyof typeof KINDS] | 'mapping' | 'write' | 'module';

/** How a member of a node stands in RDF. */
interface InRdf {
  /** A text, an IRI, an IRI that has a name, JSON, nodes of a kind, or invocations of any kind. */
  readonly is: 'text' | 'iri' | 'name' | 'json' | 'invocation' | NodeKind;
  /** Its predicate, and behind it those that are read, too. Those of this vocabulary begin with `own:`. */
  readonly iris: readonly string[];
}

const inRdf = z.registry<InRdf>();

/** A member of a node, which RDF has under these predicates: see `InRdf`. */
function member<T extends z.ZodType>(is: InRdf['is'], iris: readonly string[], schema: T): T {
  inRdf.add(schema, { is, iris });
  return schema;
}

const most = (count: number, what: string) => [count, `may have at most ${count} ${what}`] as const;
const iri = text(LIMITS.text).refine(isAbsoluteIri, 'must be an absolute IRI');
const name = text(LIMITS.text).refine(
  (value) => isAbsoluteIri(value) || /^[a-z][\w-]*$/i.test(value),
  'must be an absolute IRI, a name that begins with odrl: or ac:, or a plain name',
);
const mediaType = text(LIMITS.text).refine(
  (value) => /^[\w!#$&^.+*-]+\/[\w!#$&^.+*-]+(?:\s*;.*)?$/.test(value),
  'must be a media type',
);

/** As HTML names custom elements (section 4.13.3), without those that SVG and MathML have taken. */
const TAG =
  /^(?!annotation-xml$|color-profile$|font-face|missing-glyph$)[a-z][-.\w\u00b7\u00c0-\u{effff}]*-[-.\w\u00b7\u00c0-\u{effff}]*$/u;
/** What these hold would run as a script, or be read as HTML: metadata may not bring either. */
const RUNS = /^on|^(?:inner|outer)html$|^srcdoc$/i;
const attribute = text(LIMITS.text)
  .refine((value) => /^[a-z][\w.:-]*$/i.test(value), 'must be the name of an attribute or a property')
  .refine((value) => !RUNS.test(value), 'must not be one that holds a script or HTML');

const mapping = z.strictObject({
  variable: member(
    'text',
    [`${HYDRA}variable`, `${AC}variable`],
    text(LIMITS.text).describe('attribute, property or variable'),
  ),
  property: member('name', [`${HYDRA}property`, `${AC}property`], name.describe('what it means')),
});
const ofElement = mapping.extend({ variable: attribute.describe('attribute or property') });
const MAPPING = [`${HYDRA}mapping`, `${AC}mapping`];

const write = z.strictObject({
  event: member('text', ['own:event'], text(LIMITS.text)),
  method: member('text', ['own:method'], attribute.optional()),
  property: member('text', ['own:property'], attribute.optional()),
});

const elementInvocation = z.strictObject({
  id: iri.optional(),
  type: z.literal(KINDS.element),
  element: member(
    'text',
    ['own:element'],
    text(LIMITS.text)
      .refine(
        (value) => TAG.test(value) && value === value.toLowerCase(),
        'must be the name of a custom element',
      )
      .describe('tag name that the module defines'),
  ),
  format: member(
    'text',
    ['own:format'],
    mediaType.optional().describe('in which `data` and `shapes` are handed over'),
  ),
  fixed: member(
    'json',
    ['own:fixed'],
    z
      .record(attribute, text(LIMITS.text, 0))
      .refine((all) => Object.keys(all).length <= LIMITS.values, most(LIMITS.values, 'attributes')[1])
      .optional()
      .describe('attributes with constant values'),
  ),
  mapping: member('mapping', MAPPING, z.array(ofElement).max(...most(MOST.mappings, 'mappings'))),
  write: member(
    'write',
    ['own:write'],
    write
      .refine(({ method, property }) => !(method && property), 'may name a method or a property, not both')
      .optional()
      .describe('the event that says that the user is done, and what gives RDF then'),
  ),
});

/** Not `uri` and `integrity` in RDF: nodes of earlier versions would take that for the description of another component. */
const module = z.strictObject({
  uri: member('iri', ['own:moduleUri', 'own:uri'], webAddress),
  integrity: member(
    'text',
    ['own:moduleIntegrity', 'own:integrity'],
    text(LIMITS.text)
      .refine((value) => parseIntegrity(value) !== undefined, 'must be integrity metadata')
      .optional(),
  ),
});

const fragmentInvocation = z.strictObject({
  id: iri.optional(),
  type: z.literal(KINDS.fragment),
  fragment: member(
    'text',
    ['own:fragment'],
    text(MOST.fragment).describe('HTML with {open} as its only hole'),
  ),
  module: member(
    'module',
    ['own:module'],
    z
      .array(module)
      .max(...most(LIMITS.values, 'modules'))
      .describe('modules that define its custom elements'),
  ),
});

const templateInvocation = z.strictObject({
  id: iri.optional(),
  type: z.literal(KINDS.template),
  template: member(
    'text',
    [`${HYDRA}template`, `${AC}template`],
    text(MOST.template)
      .refine(isUriTemplate, 'must be a URI template (RFC 6570)')
      .describe('resolved against the IRI of the application'),
  ),
  mapping: member(
    'mapping',
    MAPPING,
    z
      .array(mapping)
      .max(...most(MOST.mappings, 'mappings'))
      .optional(),
  ),
});

const invocation = z.discriminatedUnion(
  'type',
  [elementInvocation, fragmentInvocation, templateInvocation],
  `must be one of ${Object.values(KINDS).join(', ')}`,
);

const capability = z.strictObject({
  id: iri.optional().describe('the IRI that its author has given it'),
  action: member(
    'name',
    [`${AC}action`],
    name.optional().describe(`what can be done; ${DEFAULT_ACTION} when absent`),
  ),
  accept: member('text', [`${AC}accept`], list(mediaType).optional().describe('media types that it takes')),
  output: member(
    'text',
    [`${AC}output`],
    list(mediaType).optional().describe('media types of what it makes'),
  ),
  resourceType: member('iri', [`${AC}resourceType`], list(iri).optional().describe('classes of resources')),
  shape: member('iri', [`${AC}shape`], list(iri).optional().describe('shapes of resources')),
  destination: member(
    'iri',
    [`${AC}destination`],
    iri.optional().describe('where it delivers what it makes'),
  ),
  summary: member(
    'text',
    [`${AS}summary`, `${DCT}title`],
    text(LIMITS.text).optional().describe('what it does, for people'),
  ),
  invocation: member(
    'invocation',
    [`${AC}invocation`],
    z
      .array(invocation)
      .max(...most(MOST.invocations, 'invocations'))
      .optional()
      .describe('how to invoke it; absent: by `entry` and the four events; empty: no way is known'),
  ),
});

/** All capabilities of a component, in the canonical form (design, section 16). */
export const capabilitiesSchema = z
  .array(capability)
  .max(...most(MOST.capabilities, 'capabilities'))
  .refine((all) => JSON.stringify(all).length <= MOST.all, most(MOST.all, 'characters as JSON')[1]);

const NODES: Readonly<Record<NodeKind, z.ZodObject>> = {
  capability,
  [KINDS.element]: elementInvocation,
  [KINDS.fragment]: fragmentInvocation,
  [KINDS.template]: templateInvocation,
  mapping,
  write,
  module,
};

/** A member of a node: its key in JSON, and how it stands in RDF. */
export interface Member extends InRdf {
  readonly key: string;
  readonly isList: boolean;
  /** Is an empty list written where there is none? */
  readonly isNeeded: boolean;
}

const known = new Map<string, readonly Member[]>();

/** The members of a node of a kind, in the order in which the canonical form has them; `own`: the namespace of the vocabulary. */
export function membersOf(kind: NodeKind, own: string): readonly Member[] {
  const key = `${kind} ${own}`;
  const members = known.get(key) ?? Object.entries(NODES[kind].shape).flatMap(memberIn(own));
  known.set(key, members);
  return members;
}

function memberIn(own: string): (entry: [string, z.core.$ZodType]) => Member[] {
  return ([key, schema]) => {
    const found = inRdf.get(schema);
    if (!found) return [];
    const isOptional = schema instanceof z.ZodOptional;
    const isList = (isOptional ? schema.unwrap() : schema) instanceof z.ZodArray;
    const iris = found.iris.map((iri) => iri.replace(/^own:/, own));
    return [{ ...found, key, iris, isList, isNeeded: isList && !isOptional }];
  };
}

/** The terms of this vocabulary for capabilities. */
export function ownTerms(own: string): string[] {
  const kinds = Object.keys(NODES) as NodeKind[];
  const terms = kinds.flatMap((kind) => membersOf(kind, ' ')).flatMap(({ iris }) => iris);
  const names = terms.filter((iri) => iri.startsWith(' ')).map((iri) => iri.slice(1));
  return [...new Set([...names, ...MEANINGS, KINDS.element, KINDS.fragment])].map((term) => own + term);
}

/**
 * What a component can do with which resources, and how to invoke it. Names of ODRL and of the draft begin with `odrl:` and
 * `ac:`, those of this software's vocabulary are plain, all others are whole IRIs. Absent criteria are absent.
 */
export type Capability = DeepReadonly<z.output<typeof capability>>;
export type Invocation = DeepReadonly<z.output<typeof invocation>>;
export type Mapping = DeepReadonly<z.output<typeof mapping>>;
export type ElementInvocation = DeepReadonly<z.output<typeof elementInvocation>>;
export type FragmentInvocation = DeepReadonly<z.output<typeof fragmentInvocation>>;
export type UriTemplateInvocation = DeepReadonly<z.output<typeof templateInvocation>>;

export type DeepReadonly<T> = T extends object ? { readonly [key in keyof T]: DeepReadonly<T[key]> } : T;

/**
 * Is there a module behind the component's uri? There is none behind an application that is only opened by links: nobody may
 * import it. A component without capabilities, or with one that names no invocations, takes `entry` and the four events.
 */
export function hasModule(capabilities: readonly Capability[] | undefined): boolean {
  if (!capabilities) return true;
  return capabilities.some(
    ({ invocation }) => invocation === undefined || invocation.some(({ type }) => type === KINDS.element),
  );
}

/** Can a page show it itself? Others are only opened by links. */
export function canBeShown(capabilities: readonly Capability[] | undefined): boolean {
  const isFragment = ({ type }: Invocation) => type === KINDS.fragment;
  return hasModule(capabilities) || capabilities?.some((one) => one.invocation?.some(isFragment)) === true;
}

export function isKind(type: unknown): type is Invocation['type'] {
  return (Object.values(KINDS) as unknown[]).includes(type);
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
  const invocations = memberOf(capability, 'invocation');
  if (!Array.isArray(invocations)) return { capability, faults: [] };
  const isUnknown = (one: unknown) =>
    typeof memberOf(one, 'type') === 'string' && !isKind(memberOf(one, 'type'));
  const isExcessive = (one: unknown) => {
    const template = memberOf(one, 'template');
    return typeof template === 'string' && isExcessiveTemplate(template);
  };
  const faults = invocations.flatMap((one, i) => {
    if (isUnknown(one)) return [{ path: ['invocation', i, 'type'], detail: UNKNOWN_KIND }];
    return isExcessive(one) ? [{ path: ['invocation', i, 'template'], detail: TOO_MANY_VARIABLES }] : [];
  });
  if (faults.length === 0) return { capability, faults };
  const usable = invocations.filter((one) => !isUnknown(one));
  const isLeftOut = usable.length === 0 || usable.some(isExcessive);
  return { capability: isLeftOut ? undefined : { ...(capability as object), invocation: usable }, faults };
}

function memberOf(node: unknown, key: string): unknown {
  return typeof node === 'object' && node !== null ? Reflect.get(node, key) : undefined;
}

/** The classes and shapes that capabilities name, sorted, each once: the `shapes` of a description that has no others. */
export function shapesOf(capabilities: readonly Capability[]): string[] {
  const named = capabilities.flatMap(({ resourceType = [], shape = [] }) => [...resourceType, ...shape]);
  return [...new Set(named)].sort(compareText);
}
