import {
  type Capability,
  type ElementInvocation,
  type FragmentInvocation,
  type Invocation,
  KINDS,
  type UriTemplateInvocation,
} from '../component/capability.js';
import { MEANINGS } from '../component/capability-terms.js';
import { excerpt } from '../lib/excerpt.js';
import { templateVariables } from '../lib/uri-template.js';
import { advice, adviceIf, type Finding, told } from './finding.js';

/** What would make capabilities easier to use, beside the rules that they keep already; a dozen of each kind. */
export function capabilityFindings(capabilities: readonly Capability[]): Finding[] {
  return told(
    capabilities.flatMap((capability) => [
      ...actionFindings(capability),
      ...(capability.invocation ?? []).flatMap((invocation) => invocationFindings(invocation, capability)),
    ]),
  );
}

/** As much of a name or a template as tells which one is meant. */
const shown = (text: string) => excerpt(text, 80);

function actionFindings({ action, invocation }: Capability): Finding[] {
  return [
    ...adviceIf(
      action === undefined,
      'a capability names no action',
      'name it: odrl:display, or odrl:modify for an editor',
    ),
    ...adviceIf(
      invocation?.length === 0,
      'a capability names no way to invoke it',
      'name an invocation: until then it is only listed',
    ),
  ];
}

function invocationFindings(invocation: Invocation, capability: Capability): Finding[] {
  if (invocation.type === KINDS.element) return elementFindings(invocation, capability);
  return invocation.type === KINDS.fragment ? fragmentFindings(invocation) : templateFindings(invocation);
}

function elementFindings({ element, mapping }: ElementInvocation, { shape = [] }: Capability): Finding[] {
  const meanings = mapping.map(({ property }) => property);
  const has = (...some: readonly string[]) => some.some((one) => meanings.includes(one));
  const unknown = meanings.filter((one) => !one.includes(':') && !MEANINGS.includes(one));
  return [
    ...adviceIf(
      !has('ac:open', 'data'),
      `nothing tells ${shown(element)} what to show`,
      'map an attribute or property to ac:open, or to data',
    ),
    ...unknown.map((one) =>
      advice(
        `no host knows what ${shown(one)} means, to which ${shown(element)} maps something`,
        `there are ac:open, ${MEANINGS.join(', ')}`,
      ),
    ),
    ...adviceIf(
      has('shapes', 'shapesUrl', 'shapeSubject') && shape.length === 0,
      `${shown(element)} is to be given shapes, and its capability names none`,
      'name them with shape',
    ),
  ];
}

function fragmentFindings({ fragment, module }: FragmentInvocation): Finding[] {
  const unpinned = module.filter(({ integrity }) => integrity === undefined);
  return [
    ...adviceIf(
      !fragment.includes('{open}'),
      'a fragment has no {open}',
      'write {open} where the URL of the resource belongs',
    ),
    ...adviceIf(
      /<script|\son\w+\s*=|javascript:/i.test(fragment),
      'a fragment has a script in it',
      'leave it out: hosts remove scripts, and attributes that hold them',
    ),
    ...adviceIf(
      /<[a-z][^\s/>]*-/.test(fragment) && module.length === 0,
      'a fragment has custom elements, and names no module',
      'name the modules that define them',
    ),
    ...unpinned.map(({ uri }) =>
      advice(
        `the module ${shown(uri)} of a fragment has no integrity`,
        'write the hash of its bytes beside it',
      ),
    ),
  ];
}

function templateFindings({ template, mapping = [] }: UriTemplateInvocation): Finding[] {
  const variables = new Set(templateVariables(template));
  const mapped = new Set(mapping.map(({ variable }) => variable));
  const fix = 'add a mapping with its property, ac:open for the resource';
  return [
    ...[...variables]
      .filter((one) => !mapped.has(one))
      .map((one) => advice(`nothing says what {${shown(one)}} in ${shown(template)} means`, fix)),
    ...[...mapped]
      .filter((one) => !variables.has(one))
      .map((one) =>
        advice(`${shown(template)} has no {${shown(one)}}, to which a mapping belongs`, 'correct the name'),
      ),
  ];
}
