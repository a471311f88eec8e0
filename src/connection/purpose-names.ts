import type { Config } from '../config.js';
import { uriKey } from './uri.js';

/** What pages say of a purpose in place of its IRI. */
export interface NamedPurpose {
  readonly iri: string;
  /** What the operator calls the purpose (key `invites.purposes`); absent where its IRI has to do. */
  readonly name?: string;
  readonly sentence?: string | undefined;
  /** Whom to ask: an e-mail address, a URL or a number. */
  readonly contact?: string | undefined;
  /** URL of the page that says what becomes of the data. */
  readonly privacy?: string | undefined;
}

/** Names the purpose with this IRI. */
export type NameOf = (iri: string) => NamedPurpose;

export function createPurposeNames(purposes: Config['invites']['purposes']): NameOf {
  const configured = new Map(Object.entries(purposes).map(([iri, said]) => [uriKey(iri), said]));
  return (iri) => ({ iri, ...configured.get(uriKey(iri)) });
}
