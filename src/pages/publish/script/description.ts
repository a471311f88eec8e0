import type { ComponentMetadata } from '../../../host/component-metadata.js';

/** A description of a component, in the JSON of `POST /component`. */
export interface Description extends Omit<ComponentMetadata, 'capability' | 'pin' | 'source' | 'since'> {
  readonly example?: string;
  readonly capability?: readonly unknown[];
}

/** The capability of an element that takes its data by one attribute, as the verb `describe` writes it. */
export function simpleCapability(
  element: string,
  attribute: string,
  meaning: string,
  shapes: readonly string[],
): readonly unknown[] {
  const format = meaning === 'data' ? { format: 'text/turtle' } : {};
  const mapping = [{ variable: attribute, property: meaning }];
  const invocation = [{ type: 'ElementInvocation', element, ...format, mapping }];
  return [{ action: 'odrl:display', resourceType: shapes, invocation }];
}
