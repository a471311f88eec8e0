import { type FragmentInvocation, type Invocation, KINDS } from '../../component/capability.js';
import type { Metadata } from '../../component/metadata.js';
import { sourceOf } from '../shell/content-policy.js';

/** The origins of a component's modules, and all that it may reach: those of the data and of its shapes, too. */
export function reached(
  { uri, capability = [] }: Metadata,
  entry: string,
): Record<'modules' | 'named', readonly string[]> {
  const fragments = capability.flatMap(({ invocation = [] }) => invocation.filter(isFragment));
  const modules = originsOf([uri, ...fragments.flatMap((one) => one.module.map((module) => module.uri))]);
  const named = originsOf([modules, entry, capability.flatMap(({ shape = [] }) => shape)].flat());
  return { modules, named };
}

/** Shapes may be IRIs that are no addresses. */
function originsOf(urls: readonly string[]): string[] {
  return [...new Set(urls.filter((url) => /^https?:/i.test(url)).map(sourceOf))];
}

function isFragment(one: Invocation): one is FragmentInvocation {
  return one.type === KINDS.fragment;
}
