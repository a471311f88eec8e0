import type { Metadata } from './metadata.js';

/** Constraints on components; all of them must hold, and `{}` matches everything. */
export interface Query {
  readonly uri?: string;
  readonly label?: string;
  readonly description?: string;
  /** Equal, or an npm semver range that the component's version satisfies. */
  readonly version?: string;
  readonly latest?: boolean;
  /** Every one of these must be among the component's values. */
  readonly author?: readonly string[];
  readonly tag?: readonly string[];
  readonly shapes?: readonly string[];
}

/** Reads a query from the parsed JSON body of a request. @throws InvalidInput naming every unknown key and wrong type. */
export declare function readQuery(body: unknown): Query;

/** Reads a query from the parameters of a URL; a repeated list parameter means all of the values. @throws InvalidInput */
export declare function readQueryParameters(parameters: URLSearchParams): Query;

export declare function matches(query: Query, component: Metadata): boolean;
