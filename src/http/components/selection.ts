import { z } from 'zod';
import { CONSTRAINTS, type Query, readQueryParameters } from '../../component/query.js';
import {
  invalidParameters,
  pageSchemaOf,
  readPageParameters,
  withoutPageParameters,
} from '../../lib/http/request/page-parameters.js';
import type { PageRequest } from '../../registry/page.js';
import { type ComponentType, FORMATS } from './representation.js';

/** The parameters that cut a listing into pages. */
export const pageSchema = pageSchemaOf({
  members: 'components',
  after: 'only components whose uri is greater',
});

/** The parameter that chooses a representation, in place of the `Accept` header. */
export const formatSchema = z.object({
  format: z
    .literal([...FORMATS.keys()])
    .optional()
    .describe('the representation, whatever the Accept header says'),
});

export interface Selection {
  readonly query: Query;
  readonly page: PageRequest;
  /** The representation that the parameters ask for. */
  readonly type?: ComponentType;
}

/** Reads a filter, a page and a representation from the same parameters. @throws InvalidInput naming each that is wrong */
export function readSelection(parameters: URLSearchParams): Selection {
  if (parameters.size === 0) return { query: {}, page: {} };
  const page = readPageParameters(parameters, { repeatable: CONSTRAINTS, single: ['format'] });
  const constraints = withoutPageParameters(parameters);
  const format = constraints.get('format');
  constraints.delete('format');
  const query = readQueryParameters(constraints);
  return format === null ? { query, page } : { query, page, type: typeOf(format) };
}

function typeOf(format: string): ComponentType {
  const type = FORMATS.get(format);
  if (type) return type;
  const detail = `must be one of ${[...FORMATS.keys()].join(', ')}`;
  throw invalidParameters([{ pointer: '?format', detail }]);
}
