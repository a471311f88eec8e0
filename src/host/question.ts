import { canonicalShapes, indexedValues } from '../component/canonical-shape.js';
import { shapeIri } from '../component/shape-names.js';
import type { ComponentMetadata, Constraints } from './component-metadata.js';

/** A query in the two parts that every node can be asked with. */
export interface Question {
  /** The body of `POST /component/query`, as JSON. Equal questions have equal bodies. */
  readonly body: string;
  /** Does a component render the shapes? Nodes of other makes may ignore constraints, so each answer is filtered with it. */
  readonly test: (component: ComponentMetadata) => boolean;
}

/** All constraints are the node's to judge. Shapes are sent as IRIs in an array: nodes of other makes know no prefixes. */
export function questionOf({ shapes, ...others }: Constraints): Question {
  const wanted = [shapes ?? []].flat().map(shapeIri);
  return {
    body: JSON.stringify({ ...others, shapes: wanted.length === 0 ? undefined : wanted }),
    test: (component) => {
      const rendered = indexedValues(component, 'shapes');
      return canonicalShapes(wanted).every((shape) => rendered.includes(shape));
    },
  };
}
