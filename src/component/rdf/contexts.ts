import { KINDS } from '../capability.js';
import { membersOf, type NodeKind, PREFIXES } from '../capability-terms.js';
import { PLAIN_FIELDS, type PlainField, VALUES } from '../fields.js';
import { AC, OIDC, type Vocabulary, XSD, XSD_BOOLEAN } from '../vocabulary.js';

type Context = Readonly<Record<string, unknown>>;

/**
 * The JSON-LD context of Application Capability as the draft of 2026-08-17 prints it, section 2.3. Contexts
 * are shipped, because none is ever fetched.
 */
const CAPABILITY_CONTEXT: Context = {
  '@version': 1.1,
  '@protected': true,
  ...Object.fromEntries(PREFIXES),
  id: '@id',
  type: '@type',
  Accept: 'as:Accept',
  Capability: 'ac:Capability',
  Invocation: 'ac:Invocation',
  Reject: 'as:Reject',
  Request: 'ac:Request',
  Requirement: 'ac:Requirement',
  UriTemplateInvocation: 'ac:UriTemplateInvocation',
  ...texts('ac', ['accept', 'browserPermission', 'cspDirective', 'output', 'search']),
  ...texts('as', ['summary']),
  ...texts('hydra', ['mapping', 'template', 'variable']),
  ...iris('ac', [
    'action',
    'capability',
    'destination',
    'invocation',
    'login',
    'open',
    'proxy',
    'requirement',
  ]),
  ...iris('ac', ['resourceType', 'shape']),
  ...iris('as', ['actor', 'object']),
  ...iris('hydra', ['property']),
  hasPurpose: { '@id': 'dpv:hasPurpose', '@type': '@id' },
  inbox: { '@id': 'ldp:inbox', '@type': '@id' },
  issuedPolicy: { '@id': 'odrl:issuedPolicy', '@type': '@id' },
  selector: { '@id': 'oa:hasSelector', '@type': '@id' },
  state: { '@id': 'oa:hasState', '@type': '@id' },
};

/** The JSON-LD context of client identifier documents (Solid-OIDC, section 5.1), which the draft puts its terms into. */
const CLIENT_CONTEXT: Context = {
  '@version': 1.1,
  '@protected': true,
  oidc: OIDC,
  xsd: XSD,
  client_id: { '@id': '@id', '@type': '@id' },
  ...iris('oidc', ['client_uri', 'logo_uri', 'policy_uri', 'tos_uri']),
  redirect_uris: { '@id': 'oidc:redirect_uris', '@type': '@id', '@container': ['@id', '@set'] },
  require_auth_time: { '@id': 'oidc:require_auth_time', '@type': 'xsd:boolean' },
  default_max_age: { '@id': 'oidc:default_max_age', '@type': 'xsd:integer' },
  ...texts('oidc', ['application_type', 'client_name', 'contacts', 'grant_types', 'response_types', 'scope']),
  ...texts('oidc', ['token_endpoint_auth_method']),
};

/** The contexts of others that documents may name, by their addresses. */
export const SHIPPED_CONTEXTS: ReadonlyMap<string, Context> = new Map([
  ['https://www.w3.org/ns/ac.jsonld', CAPABILITY_CONTEXT],
  ['https://www.w3.org/ns/solid/oidc-context.jsonld', CLIENT_CONTEXT],
]);

function texts(prefix: string, names: readonly string[]): Context {
  return Object.fromEntries(names.map((name) => [name, `${prefix}:${name}`]));
}

function iris(prefix: string, names: readonly string[]): Context {
  return Object.fromEntries(names.map((name) => [name, { '@id': `${prefix}:${name}`, '@type': '@id' }]));
}

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
