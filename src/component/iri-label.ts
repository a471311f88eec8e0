import { parsedUrl } from '../lib/can-parse-url.js';
import { LIMITS } from './values.js';

/** Names of what a document is about, which say nothing of it. */
const EMPTY_NAME = /^#(?:app|i|id|it|me|this)?$/;

/**
 * What a thing is called that nobody has named: its IRI without what all IRIs have. Not its last part alone: two that are called
 * the same would be versions of each other.
 */
export function labelOfIri(iri: string): string {
  const url = parsedUrl(iri);
  if (!url) return iri.slice(0, LIMITS.text);
  const fragment = EMPTY_NAME.test(url.hash) ? '' : url.hash;
  return `${url.host}${url.pathname.replace(/\/$/, '')}${url.search}${fragment}`.slice(0, LIMITS.text);
}
