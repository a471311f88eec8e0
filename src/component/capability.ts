import * as z from 'zod';
import { compareText } from '../lib/compare-text.js';
import { isAbsoluteIri } from '../lib/iri.js';
import { isExcessiveTemplate, isUriTemplate, TEMPLATE_BOUNDS } from '../lib/uri-template.js';
import { isGraphNode, isName } from './graph-node.js';
import { parseIntegrity } from './integrity.js';
import { isModuleUrl, LIMITS, list, text } from './values.js';

/** How much one component may say of how it is put to work. */
export const CAPABILITY_LIMITS = {
  capabilities: 32,
  invocations: 16,
  mappings: 64,
  fragment: 16_384,
  template: 2_048,
  /** Characters of all capabilities of a component as JSON. */
  all: 65_536,
  /** Nodes within one another, in an invocation of an unknown kind. */
  depth: 4,
} as const;

/** What an action is when a capability names none (design, section 16). */
export const DEFAULT_ACTION = 'odrl:display';

/** The names of the kinds of invocation that hosts know. */
export const KINDS = {
  element: 'ElementInvocation',
  fragment: 'FragmentInvocation',
  template: 'ac:UriTemplateInvocation',
} as const;

const TOO_MANY_VARIABLES = `may name at most ${TEMPLATE_BOUNDS.variables} variables, each at most ${TEMPLATE_BOUNDS.repetitions} times`;

const iri = text(LIMITS.text).refine(isAbsoluteIri, 'must be an absolute IRI');
const name = text(LIMITS.text).refine(
  isName,
  'must be an absolute IRI, a name that begins with odrl: or ac:, or a plain name',
);
const mediaType = text(LIMITS.text).refine(
  (value) => /^[\w!#$&^.+*-]+\/[\w!#$&^.+*-]+(?:\s*;.*)?$/.test(value),
  'must be a media type',
);
const module = text(LIMITS.uri).refine(
  isModuleUrl,
  'must be an absolute http or https URL without spaces, user name or password',
);

/** As HTML names custom elements (section 4.13.3), without those that SVG and MathML have taken. */
const TAG =
  /^(?!annotation-xml$|color-profile$|font-face|missing-glyph$)[a-z][-.\w\u00b7\u00c0-\u{effff}]*-[-.\w\u00b7\u00c0-\u{effff}]*$/u;
/** What these hold would run as a script, or be read as HTML: metadata may not bring either. */
const RUNS = /^on|^(?:inner|outer)html$|^srcdoc$/i;
const attribute = text(LIMITS.text)
  .refine((value) => /^[a-z][\w.:-]*$/i.test(value), 'must be the name of an attribute or a property')
  .refine((value) => !RUNS.test(value), 'must not be one that holds a script or HTML');

const mappings = (variable: z.ZodType<string>) =>
  z
    .array(
      z.strictObject({
        variable: variable.describe('attribute, property or variable'),
        property: name.describe('what it means'),
      }),
    )
    .max(CAPABILITY_LIMITS.mappings, `may have at most ${CAPABILITY_LIMITS.mappings} mappings`);

const elementInvocation = z.strictObject({
  id: iri.optional(),
  type: z.literal(KINDS.element),
  element: text(LIMITS.text)
    .refine(
      (value) => TAG.test(value) && value === value.toLowerCase(),
      'must be the name of a custom element',
    )
    .describe('tag name that the module defines'),
  format: mediaType.optional().describe('in which `data` and `shapes` are handed over'),
  fixed: z
    .record(attribute, text(LIMITS.text, 0))
    .refine((all) => Object.keys(all).length <= LIMITS.values, `may have at most ${LIMITS.values} attributes`)
    .optional()
    .describe('attributes with constant values'),
  mapping: mappings(attribute),
  write: z
    .strictObject({
      event: text(LIMITS.text),
      method: attribute.optional(),
      property: attribute.optional(),
    })
    .refine(({ method, property }) => !(method && property), 'may name a method or a property, not both')
    .optional()
    .describe('the event that says that the user is done, and what gives RDF then'),
});

const fragmentInvocation = z.strictObject({
  id: iri.optional(),
  type: z.literal(KINDS.fragment),
  fragment: text(CAPABILITY_LIMITS.fragment).describe('HTML with {open} as its only hole'),
  module: z
    .array(
      z.strictObject({
        uri: module,
        integrity: text(LIMITS.text)
          .refine((value) => parseIntegrity(value) !== undefined, 'must be integrity metadata')
          .optional(),
      }),
    )
    .max(LIMITS.values, `may have at most ${LIMITS.values} modules`)
    .describe('modules that define its custom elements'),
});

const templateInvocation = z.strictObject({
  id: iri.optional(),
  type: z.literal(KINDS.template),
  template: text(CAPABILITY_LIMITS.template)
    .refine(isUriTemplate, 'must be a URI template (RFC 6570)')
    .refine((value) => !isExcessiveTemplate(value), TOO_MANY_VARIABLES)
    .describe('resolved against the IRI of the application'),
  mapping: mappings(text(LIMITS.text)).optional(),
});

const known: readonly string[] = Object.values(KINDS);
const otherInvocation = z
  .looseObject({
    id: iri.optional(),
    // It ends there, so that faults of a known kind are told as that.
    type: name.refine((value) => !known.includes(value), { error: 'must be another kind', abort: true }),
  })
  .refine(
    (node) => isGraphNode(node, CAPABILITY_LIMITS.depth),
    `must have names or IRIs as keys and lists of values, at most ${CAPABILITY_LIMITS.depth} nodes deep`,
  )
  .describe(
    'any other kind: kept and passed on; keys are IRIs or plain names, values as in expanded JSON-LD',
  );

const capability = z.strictObject({
  id: iri.optional().describe('the IRI that its author has given it'),
  action: name.optional().describe(`what can be done; ${DEFAULT_ACTION} when absent`),
  accept: list(mediaType).optional().describe('media types that it takes'),
  output: list(mediaType).optional().describe('media types of what it makes'),
  resourceType: list(iri).optional().describe('classes of resources'),
  shape: list(iri).optional().describe('shapes of resources'),
  destination: iri.optional().describe('where it delivers what it makes'),
  summary: text(LIMITS.text).optional().describe('what it does, for people'),
  invocation: z
    .array(z.union([elementInvocation, fragmentInvocation, templateInvocation, otherInvocation]))
    .max(CAPABILITY_LIMITS.invocations, `may have at most ${CAPABILITY_LIMITS.invocations} invocations`)
    .optional()
    .describe('how to invoke it; absent: by `entry` and the four events; empty: no way is known'),
});

/** All capabilities of a component, in the canonical form (design, section 16). */
export const capabilitiesSchema = z
  .array(capability)
  .max(CAPABILITY_LIMITS.capabilities, `may have at most ${CAPABILITY_LIMITS.capabilities} capabilities`)
  .refine(
    (all) => JSON.stringify(all).length <= CAPABILITY_LIMITS.all,
    `may have at most ${CAPABILITY_LIMITS.all} characters as JSON`,
  );

/**
 * What a component can do with which resources, and how to invoke it. Names of ODRL and of the draft begin with `odrl:` and
 * `ac:`, those of this software's vocabulary are plain, all others are whole IRIs. Absent criteria are absent.
 */
export type Capability = DeepReadonly<z.output<typeof capability>>;
export type Invocation = NonNullable<Capability['invocation']>[number];
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

/** Where in a capability something is beyond a bound that costs the whole capability, and what is wrong with it. */
export interface CapabilityExcess {
  readonly path: readonly PropertyKey[];
  readonly detail: string;
}

/**
 * Why a capability, in its canonical form and not checked yet, is left out whole while everything else that is said of its component
 * is taken: one of its URI templates names more variables than readers may expand (design, section 16). Undefined for all others.
 */
export function excessOf(capability: unknown): CapabilityExcess | undefined {
  const invocations = memberOf(capability, 'invocation');
  if (!Array.isArray(invocations)) return undefined;
  const index = invocations.findIndex((one) => {
    const template = memberOf(one, 'template');
    return typeof template === 'string' && isExcessiveTemplate(template);
  });
  if (index < 0) return undefined;
  return { path: ['invocation', index, 'template'], detail: TOO_MANY_VARIABLES };
}

function memberOf(node: unknown, key: string): unknown {
  return typeof node === 'object' && node !== null ? Reflect.get(node, key) : undefined;
}

/** The classes and shapes that capabilities name, sorted, each once: the `shapes` of a description that has no others. */
export function shapesOf(capabilities: readonly Capability[]): string[] {
  const named = capabilities.flatMap(({ resourceType = [], shape = [] }) => [...resourceType, ...shape]);
  return [...new Set(named)].sort(compareText);
}
