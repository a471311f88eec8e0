import { type Capability, DEFAULT_ACTION } from './capability.js';
import { iriOfName, nameOfIri } from './capability-terms.js';

/** What one capability of a component has to be; a criterion that it does not name is not met (draft, section 5.2). */
export interface CapabilityQuery {
  readonly action?: string | undefined;
  /** A media type. */
  readonly accept?: string | undefined;
  /** A kind, or `NO_KIND`. */
  readonly invocation?: string | undefined;
}

/** Asks for what needs no invocation: it takes `entry` and speaks the four events of the specification. */
const NO_KIND = 'none';

/** An action or kind as capabilities name it, of a name or an IRI. */
export function queriedName(text: string): string {
  return nameOfIri(iriOfName(text, ''), '');
}

/** Does one of these meet all the criteria? */
export function matchesCapability(
  capabilities: readonly Capability[],
  { action, accept, invocation }: CapabilityQuery,
): boolean {
  // A component of the specification names no capabilities: it displays what its shapes say.
  const all = capabilities.length === 0 && invocation === NO_KIND ? [{}] : capabilities;
  const isInvoked = (ways: Capability['invocation']) =>
    invocation === NO_KIND ? ways === undefined : ways?.some(({ type }) => type === invocation) === true;
  return all.some(
    ({ action: does = DEFAULT_ACTION, accept: takes = [], invocation: ways }) =>
      (action === undefined || does === action) &&
      (accept === undefined || takes.includes(accept)) &&
      (invocation === undefined || isInvoked(ways)),
  );
}

/** Texts that occur in the JSON of every component that matches. */
export function writtenIn({ action, accept, invocation }: CapabilityQuery): string[] {
  const ofCapability = [
    ...(action === undefined || action === DEFAULT_ACTION ? [] : [`"action":${JSON.stringify(action)}`]),
    ...(accept === undefined ? [] : [JSON.stringify(accept)]),
    ...(invocation === undefined || invocation === NO_KIND ? [] : [`"type":${JSON.stringify(invocation)}`]),
  ];
  const mayHaveNone = invocation === NO_KIND && ofCapability.length === 0;
  return mayHaveNone ? [] : ['"capability":', ...ofCapability];
}
