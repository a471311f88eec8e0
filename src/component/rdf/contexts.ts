import { KINDS } from '../capability.js';
import { membersOf, type NodeKind, PREFIXES } from '../capability-terms.js';
import { PLAIN_FIELDS, type PlainField, VALUES } from '../fields.js';
import { AC, type Vocabulary, XSD_BOOLEAN } from '../vocabulary.js';
import shipped from './shipped-contexts.json' with { type: 'json' };

type Context = Readonly<Record<string, unknown>>;

/**
 * The contexts of others that documents may name, by their addresses, because none is ever fetched: that of Application Capability as
 * the draft of 2026-08-17 prints it (section 2.3), and that of client identifier documents (Solid-OIDC, section 5.1), which the draft
 * puts its terms into.
 */
export const SHIPPED_CONTEXTS: ReadonlyMap<string, Context> = new Map(Object.entries(shipped));

/** A JSON-LD context that maps the plain names of fields to the vocabulary. */
export function vocabularyContext({ namespace, component, predicates }: Vocabulary): Context {
  const types = { iri: '@id', boolean: XSD_BOOLEAN, text: undefined };
  const term = (field: PlainField) => {
    const type = types[VALUES[field]];
    return type === undefined ? predicates[field] : { '@id': predicates[field], '@type': type };
  };
  return {
    component,
    ...Object.fromEntries(PLAIN_FIELDS.map((field) => [field, term(field)])),
    capability: { '@id': predicates.capability, '@type': '@id', '@context': capabilityNames(namespace) },
  };
}

/** Within a capability, plain names mean what they mean in JSON. */
function capabilityNames(own: string): Context {
  return {
    ...Object.fromEntries(PREFIXES),
    '@vocab': own,
    id: '@id',
    type: '@type',
    Capability: `${AC}Capability`,
    UriTemplateInvocation: `${AC}UriTemplateInvocation`,
    ...namesOf('capability', own),
    ...Object.assign({}, ...Object.values(KINDS).map((kind) => namesOf(kind, own))),
  };
}

function namesOf(kind: NodeKind, own: string): Context {
  return Object.fromEntries(
    membersOf(kind, own).map(({ key, iris: [iri], is }) => {
      if (is === 'text') return [key, iri];
      const types: Readonly<Record<string, string>> = { json: '@json', name: '@vocab' };
      const isNode = !['json', 'iri', 'name', 'invocation'].includes(is);
      const more = isNode ? { '@context': namesOf(is as NodeKind, own) } : { '@type': types[is] ?? '@id' };
      return [key, { '@id': iri, ...more }];
    }),
  );
}
