import type { Vocabulary } from './vocabulary.js';

/** What the addresses in representations depend on. */
export interface Naming {
  /** Public URL of the node, without a trailing slash. */
  readonly baseUrl: string;
  readonly vocabulary: Vocabulary;
}

/** The address of a component on a node: its component base path followed by the uri (specification, JSON listing). */
export function componentAddress(baseUrl: string, uri: string): string {
  return `${baseUrl}/c/${uri}`;
}
