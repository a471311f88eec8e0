import { canonicalShapes } from '../../component/canonical-shape.js';
import type { Capability, ElementInvocation, FragmentInvocation } from '../../component/capability.js';
import type { ComponentMetadata } from '../component-metadata.js';

/** How a component is run in a page: as one of its capabilities says, or, without an invocation, by `entry` and the four events. */
export interface Way {
  readonly action: string;
  readonly capability: Capability;
  readonly invocation?: ElementInvocation | FragmentInvocation;
}

const ODRL = 'http://www.w3.org/ns/odrl/2/';

/** What the page wants to be done, and what is known of the resource. */
export interface Purpose {
  /** An action, `odrl:display` or `odrl:modify` for instance; when absent, displaying comes first and anything else after it. */
  readonly action?: string;
  /** The shapes of the resource, where they are known: capabilities for others are not meant. */
  readonly shapes?: readonly string[];
}

/** How to run a component; undefined where its capabilities name no way that serves the purpose. */
export function wayOf(
  { capability }: Pick<ComponentMetadata, 'capability'>,
  { action, shapes }: Purpose,
): Way | undefined {
  const wanted = actionName(action);
  if (!capability) return { action: wanted, capability: {} };
  const ways = capability.filter((one) => fits(one, shapes)).flatMap(waysOf);
  return ways.find((way) => way.action === wanted) ?? (action === undefined ? ways[0] : undefined);
}

function fits({ resourceType = [], shape = [] }: Capability, shapes?: readonly string[]): boolean {
  const named = canonicalShapes([...resourceType, ...shape]);
  if (!shapes || named.length === 0) return true;
  const known = canonicalShapes(shapes);
  return named.some((one) => known.includes(one));
}

function waysOf(capability: Capability): Way[] {
  const action = actionName(capability.action);
  if (!capability.invocation) return [{ action, capability }];
  return capability.invocation.flatMap((invocation) =>
    invocation.type === 'ElementInvocation' || invocation.type === 'FragmentInvocation'
      ? [{ action, capability, invocation }]
      : [],
  );
}

/** The short name of an action of ODRL, and any other as it is. */
export function actionName(action = 'odrl:display'): string {
  return action.startsWith(ODRL) ? `odrl:${action.slice(ODRL.length)}` : action;
}
