import { CONSTRAINTS, type Query, readQueryParameters } from '../../component/query.js';
import {
  pageSchemaOf,
  readPageParameters,
  withoutPageParameters,
} from '../../lib/http/request/page-parameters.js';
import type { PageRequest } from '../../registry/page.js';

/** The parameters that cut a listing into pages. */
export const pageSchema = pageSchemaOf({
  members: 'components',
  after: 'only components whose uri is greater',
});

/** Reads a filter and a page from the same parameters. @throws InvalidInput naming each that is wrong */
export function readSelection(parameters: URLSearchParams): { query: Query; page: PageRequest } {
  if (parameters.size === 0) return { query: {}, page: {} };
  const page = readPageParameters(parameters, { repeatable: CONSTRAINTS });
  return { query: readQueryParameters(withoutPageParameters(parameters)), page };
}
