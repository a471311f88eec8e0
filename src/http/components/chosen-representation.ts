import { chooseRepresentation } from '../../lib/http/headers/negotiate.js';
import { COMPONENT_TYPES, DATASET_TYPES, type Representation } from '../representation.js';
import type { Options } from './selection.js';

/**
 * What nodes of the first version ask their peers with. They know no `?graphs=all`: to them, N-Quads are the dataset with
 * all graphs, and what has no graph is taken for what the peer says itself. So they get all graphs, as they always did.
 */
const FIRST_VERSION_PEER =
  'application/n-quads, application/ld+json;q=0.9, application/json;q=0.8, text/turtle;q=0.7';

/**
 * The representation of components that a request asks for: the one that its parameters name, else by its `Accept`
 * header. Only datasets can have all graphs.
 * @throws Problem 406 that lists the representations, when the client accepts none
 */
export function chosenRepresentation(
  accept: string | null | undefined,
  { graphs, type }: Pick<Options, 'graphs' | 'type'>,
): Representation {
  if (graphs === 'all') {
    const named = DATASET_TYPES.find((dataset) => dataset === type);
    return { type: named ?? chooseRepresentation(accept, DATASET_TYPES), graphs };
  }
  if (type) return { type, graphs };
  if (accept === FIRST_VERSION_PEER) return { type: 'application/n-quads', graphs: 'all' };
  return { type: chooseRepresentation(accept, COMPONENT_TYPES), graphs };
}
