import type { Config } from '../../config.js';
import { Problem } from '../../lib/http/problem.js';
import type { Answer } from '../../lib/http/resource.js';
import type { Body } from '../../lib/http/response/body.js';
import type { ShippedSet } from '../../shipped-set.js';
import { pageHeaders, type Reach } from './content-policy.js';
import { isWebAddress } from './fragments.js';
import type { NodeView } from './view.js';

/** What every page needs. */
export interface PageParts {
  readonly node: () => NodeView;
}

export interface NodeViewParts {
  readonly config: Pick<Config, 'baseUrl'>;
  readonly version: string;
  /** Absent where there can be none. */
  readonly shipped?: readonly ShippedSet[] | undefined;
}

export function nodeView({ config: { baseUrl }, version, shipped }: NodeViewParts): NodeView {
  const samples = shipped?.find(({ name }) => name === 'demo')?.components ?? [];
  return { baseUrl, version, sampleData: [...new Set(samples.flatMap(({ example }) => example ?? []))] };
}

/** A page as an answer. `connect`: see `Reach`. */
export function pageAnswer(
  body: Body,
  { status = 200, ...reach }: Reach & { readonly status?: number } = {},
): Answer {
  return {
    status,
    headers: { ...pageHeaders(reach), vary: 'Accept', 'cache-control': 'no-cache' },
    body,
  };
}

/** The URL in a parameter, `''` when there is none. @throws Problem 422 when it is no absolute http or https URL */
export function readWebAddress(parameters: URLSearchParams, name: string): string {
  const url = parameters.get(name)?.trim() ?? '';
  if (url === '' || isWebAddress(url)) return url;
  throw new Problem(422, `${name} must be an absolute http or https URL`);
}
