import type { ComponentMetadata, Trust } from './component-metadata.js';

/** Below it, nobody whom the page has named answers for a description. */
export const TRUSTS: readonly Trust[] = ['own', 'configured', 'learned'];

/**
 * How far a description is trusted. Nodes of other makes do not say who says what they list; the page has named the
 * node itself, so what it lists counts as configured.
 */
export function trustIn({ source }: Pick<ComponentMetadata, 'source'>): Trust {
  return source?.trust ?? 'configured';
}
