import { Problem } from '../../lib/http/problem.js';
import { isWebAddress } from './fragments.js';

/** The URL in a parameter, `''` when there is none. @throws Problem 422 when it is no absolute http or https URL */
export function readWebAddress(parameters: URLSearchParams, name: string): string {
  const url = parameters.get(name)?.trim() ?? '';
  if (url === '' || isWebAddress(url)) return url;
  throw new Problem(422, `${name} must be an absolute http or https URL`);
}
