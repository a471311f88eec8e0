import * as z from 'zod';
import { compareText } from '../lib/compare-text.js';
import { isAbsoluteIri } from '../lib/iri.js';
import { isUriTemplate } from '../lib/uri-template.js';
import { absoluteIri, integrity, LIMITS, list, text, webAddress } from './values.js';

/** How much one component may say of how it is put to work; `all`: characters of all its capabilities as JSON. */
const MOST = {
  capabilities: 32,
  invocations: 16,
  mappings: 64,
  fragment: 16_384,
  template: 2_048,
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

/** As HTML names custom elements (section 4.13.3), without those that SVG and MathML have taken; reads each character twice at most. */
const TAG =
  /^(?!annotation-xml$|color-profile$|font-face|missing-glyph$)[a-z](?=[^-]*-)[-.\w\u00b7\u00c0-\u{effff}]*$/u;
/** What these hold would run as a script, or be read as HTML: metadata may not bring either. */
const RUNS = /^on|^(?:inner|outer)html$|^srcdoc$/i;

const short = text(LIMITS.text);
const matching = (pattern: RegExp, message: string) => short.refine((value) => pattern.test(value), message);
const upTo = <T extends z.ZodType>(most: number, items: T, what: string) =>
  z.array(items).max(most, `may have at most ${most} ${what}`);

const name = short.refine(
  (value) => isAbsoluteIri(value) || /^[a-z][\w-]*$/i.test(value),
  'must be an absolute IRI, a name that begins with odrl: or ac:, or a plain name',
);
export const mediaType = matching(/^[\w!#$&^.+*-]+\/[\w!#$&^.+*-]+(?:\s*;.*)?$/, 'must be a media type');
const attribute = matching(/^[a-z][\w.:-]*$/i, 'must be the name of an attribute or a property').refine(
  (value) => !RUNS.test(value),
  'must not be one that holds a script or HTML',
);
const tagName = matching(TAG, 'must be the name of a custom element').refine(
  (value) => value === value.toLowerCase(),
  'must be the name of a custom element',
);

// The members of these nodes in RDF, and their order in the canonical form, are in capability-nodes.json.
const mapping = z.strictObject({
  variable: short.describe('attribute, property or variable'),
  property: name.describe('what it means'),
});
const ofElement = mapping.extend({ variable: attribute.describe('attribute or property') });

const elementInvocation = z.strictObject({
  id: absoluteIri.optional(),
  type: z.literal(KINDS.element),
  element: tagName.describe('tag name that the module defines'),
  format: mediaType.optional().describe('in which `data` and `shapes` are handed over'),
  fixed: z
    .record(attribute, text(LIMITS.text, 0))
    .refine((all) => Object.keys(all).length <= LIMITS.values, `may have at most ${LIMITS.values} attributes`)
    .optional()
    .describe('attributes with constant values'),
  mapping: upTo(MOST.mappings, ofElement, 'mappings'),
  write: z
    .strictObject({ event: short, method: attribute.optional(), property: attribute.optional() })
    .refine(({ method, property }) => !(method && property), 'may name a method or a property, not both')
    .optional()
    .describe('the event that says that the user is done, and what gives RDF then'),
});

const module = z.strictObject({ uri: webAddress, integrity: integrity.optional() });

const fragmentInvocation = z.strictObject({
  id: absoluteIri.optional(),
  type: z.literal(KINDS.fragment),
  fragment: text(MOST.fragment).describe('HTML with {open} as its only hole'),
  module: upTo(LIMITS.values, module, 'modules').describe('modules that define its custom elements'),
});

const templateInvocation = z.strictObject({
  id: absoluteIri.optional(),
  type: z.literal(KINDS.template),
  template: text(MOST.template)
    .refine(isUriTemplate, 'must be a URI template (RFC 6570)')
    .describe('resolved against the IRI of the application'),
  mapping: upTo(MOST.mappings, mapping, 'mappings').optional(),
});

const invocation = z.discriminatedUnion(
  'type',
  [elementInvocation, fragmentInvocation, templateInvocation],
  `must be one of ${Object.values(KINDS).join(', ')}`,
);

const capability = z.strictObject({
  id: absoluteIri.optional().describe('the IRI that its author has given it'),
  action: name.optional().describe(`what can be done; ${DEFAULT_ACTION} when absent`),
  accept: list(mediaType).optional().describe('media types that it takes'),
  output: list(mediaType).optional().describe('media types of what it makes'),
  resourceType: list(absoluteIri).optional().describe('classes of resources'),
  shape: list(absoluteIri).optional().describe('shapes of resources'),
  destination: absoluteIri.optional().describe('where it delivers what it makes'),
  summary: short.optional().describe('what it does, for people'),
  invocation: upTo(MOST.invocations, invocation, 'invocations')
    .optional()
    .describe('how to invoke it; absent: by `entry` and the four events; empty: no way is known'),
});

/** All capabilities of a component, in the canonical form (design, section 16). */
export const capabilitiesSchema = upTo(MOST.capabilities, capability, 'capabilities').refine(
  (all) => JSON.stringify(all).length <= MOST.all,
  `may have at most ${MOST.all} characters as JSON`,
);

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
  return (
    capabilities?.some(({ invocation }) => !invocation || invocation.some(isOf(KINDS.element))) !== false
  );
}

/** Can a page show it itself? Others are only opened by links. */
export function canBeShown(capabilities: readonly Capability[] | undefined): boolean {
  return (
    hasModule(capabilities) ||
    capabilities?.some(({ invocation }) => invocation?.some(isOf(KINDS.fragment))) === true
  );
}

function isOf(kind: Invocation['type']) {
  return ({ type }: Invocation) => type === kind;
}

export function isKind(type: unknown): type is Invocation['type'] {
  return (Object.values(KINDS) as unknown[]).includes(type);
}

/** The classes and shapes that capabilities name, sorted, each once: the `shapes` of a description that has no others. */
export function shapesOf(capabilities: readonly Capability[]): string[] {
  const named = capabilities.flatMap(({ resourceType = [], shape = [] }) => [...resourceType, ...shape]);
  return [...new Set(named)].sort(compareText);
}
