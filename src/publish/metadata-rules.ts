import coerceVersion from 'semver/functions/coerce.js';
import validVersion from 'semver/functions/valid.js';
import { canonicalShape } from '../component/canonical-shape.js';
import {
  type Capability,
  type ElementInvocation,
  type FragmentInvocation,
  hasModule,
  KINDS,
  type UriTemplateInvocation,
} from '../component/capability.js';
import { MEANINGS } from '../component/capability-terms.js';
import { labelOfIri } from '../component/iri-label.js';
import type { Metadata } from '../component/metadata.js';
import { prefixIn } from '../component/shape-names.js';
import { excerpt } from '../lib/excerpt.js';
import { templateVariables } from '../lib/uri-template.js';
import { advice, type Finding, ok, told } from './finding.js';

/** What would make a component easier to find and to use, beside the rules that its metadata keeps already. */
export function metadataFindings(component: Metadata): Finding[] {
  const all = told([...fieldRules(component), ...(component.capability ?? []).flatMap(capabilityFindings)]);
  return all.length > 0 ? all : [ok('complete')];
}

/** Versions and tags are of modules. */
function* fieldRules({ uri, label, description, version, latest, shapes, tag, capability }: Metadata) {
  const isModule = hasModule(capability);
  if (!isModule && label === labelOfIri(uri)) yield advice('noName', { label: excerpt(label) });
  if (shapes.length === 0) yield advice('noShapes');
  if (!description) yield advice('noDescription');
  if (isModule && !version) yield advice('noVersion');
  if (isModule && latest === undefined) yield advice('noLatest');
  if (isModule && tag.length === 0) yield advice('noTags');
  for (const [i, shape] of shapes.entries()) yield* shapeRules(shape, shapes.slice(0, i));
  if (version && validVersion(version) === null) {
    const example = coerceVersion(version)?.version ?? '1.0.0';
    yield advice('oddVersion', { version: excerpt(version), example });
  }
  const odd = tag.filter((one) => !/^[a-z0-9-]+$/.test(one));
  const tags = `${odd.length === 1 ? 'tag' : 'tags'} ${excerpt(odd.join(', '))}`;
  if (odd.length > 0) yield advice('oddTags', { tags });
}

function* shapeRules(written: string, before: readonly string[]) {
  const [shape, prefix] = [excerpt(written), prefixIn(written)];
  const isAgain = before.some((one) => canonicalShape(one) === canonicalShape(written));
  if (isAgain) yield advice('shapeAgain', { shape });
  else if (prefix !== undefined) yield advice('prefixedShape', { shape, prefix });
}

function capabilityFindings(capability: Capability): Finding[] {
  const { action, invocation: invocations } = capability;
  return [
    ...(action === undefined ? [advice('noAction')] : []),
    ...(invocations?.length === 0 ? [advice('noInvocation')] : []),
    ...(invocations ?? []).flatMap((one) => {
      if (one.type === KINDS.element) return [...elementRules(one, capability)];
      return one.type === KINDS.fragment ? [...fragmentRules(one)] : [...templateRules(one)];
    }),
  ];
}

/** As much of a name or a template as tells which one is meant. */
const shown = (text: string) => excerpt(text, 80);

function* elementRules({ element: name, mapping }: ElementInvocation, { shape = [] }: Capability) {
  const element = shown(name);
  const properties = mapping.map(({ property }) => property);
  const has = (...some: readonly string[]) => some.some((one) => properties.includes(one));
  if (!has('ac:open', 'data')) yield advice('nothingToShow', { element });
  for (const property of properties)
    if (!property.includes(':') && !MEANINGS.includes(property))
      yield advice('unknownMeaning', { property: shown(property), element, meanings: MEANINGS.join(', ') });
  if (has('shapes', 'shapesUrl', 'shapeSubject') && shape.length === 0)
    yield advice('noShapesToGive', { element });
}

function* fragmentRules({ fragment, module }: FragmentInvocation) {
  if (!fragment.includes('{open}')) yield advice('noHole');
  if (/<script|\son\w+\s*=|javascript:/i.test(fragment)) yield advice('scriptInFragment');
  if (/<[a-z][^\s/>]*-/.test(fragment) && module.length === 0) yield advice('noModuleNamed');
  for (const { uri, integrity } of module)
    if (integrity === undefined) yield advice('unpinnedModule', { uri: shown(uri) });
}

function* templateRules({ template, mapping = [] }: UriTemplateInvocation) {
  const variables = templateVariables(template);
  const mapped = mapping.map(({ variable }) => variable);
  const named = (variable: string) => ({ variable: `{${shown(variable)}}`, template: shown(template) });
  for (const one of variables) if (!mapped.includes(one)) yield advice('unmapped', named(one));
  for (const one of mapped) if (!variables.includes(one)) yield advice('noVariable', named(one));
}
