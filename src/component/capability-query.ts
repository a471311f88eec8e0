import { type Capability, DEFAULT_ACTION } from './capability.js';
import { iriOfName, nameOfIri } from './capability-terms.js';

/** What one capability of a component has to be; a criterion that it does not name is not met (draft, section 5.2). */
export interface CapabilityQuery {
  readonly action?: string | undefined;
  /** A media type. */
  readonly accept?: string | undefined;
  /** A kind. */
  readonly invocation?: string | undefined;
}

/** An action or kind as capabilities name it, of a name or an IRI. */
export function queriedName(text: string): string {
  return nameOfIri(iriOfName(text, ''), '');
}

/** The actions, media types and kinds that a capability can be found by. */
export function criteriaOf({ action = DEFAULT_ACTION, accept = [], invocation = [] }: Capability) {
  return { action, accept, invocation: [...new Set(invocation.map(({ type }) => type))] };
}

/** Does one of these meet all the criteria? */
export function matchesCapability(
  capabilities: readonly Capability[],
  { action, accept, invocation }: CapabilityQuery,
): boolean {
  return capabilities.some((capability) => {
    const has = criteriaOf(capability);
    return (
      (action === undefined || has.action === action) &&
      (accept === undefined || has.accept.includes(accept)) &&
      (invocation === undefined || has.invocation.includes(invocation))
    );
  });
}

/** Texts that occur in the JSON of every component that matches. */
export function writtenIn({ action, accept, invocation }: CapabilityQuery): string[] {
  return [
    '"capability":',
    ...(action === undefined || action === DEFAULT_ACTION ? [] : [`"action":${JSON.stringify(action)}`]),
    ...(accept === undefined ? [] : [JSON.stringify(accept)]),
    ...(invocation === undefined ? [] : [`"type":${JSON.stringify(invocation)}`]),
  ];
}
