import type { Quad } from '@rdfjs/types';
import { DataFactory } from 'n3';
import type { Metadata } from '../component/metadata.js';
import { describedInJson } from '../component/reading/json-descriptions.js';
import type { Vocabulary } from '../component/vocabulary.js';
import { componentQuads as quadsOf } from '../component/writing/component-quads.js';

/** Components as quads of one document; the nodes of their capabilities have names that are good within it only. */
export function componentQuads(components: readonly Metadata[], vocabulary: Vocabulary): Quad[] {
  const graph = DataFactory.defaultGraph();
  return components.flatMap((component, i) =>
    quadsOf(component, vocabulary, { subject: component.uri, graph, root: String(i) }),
  );
}

/**
 * Components as an author or a form gives them, in the JSON of `POST /component`: one, or an array.
 * @throws Error that names everything that breaks the rules for components
 */
export function checkedComponents(said: unknown, vocabulary: Vocabulary): Metadata[] {
  const { components, invalid } = describedInJson(said, vocabulary);
  const faults = invalid.flatMap((one) => one.faults.map(({ detail }) => detail));
  if (faults.length > 0) throw new Error(`this is no description yet: ${faults.join(', ')}`);
  return components;
}
