import { compareText } from '../lib/compare-text.js';
import { shortHash } from '../lib/short-hash.js';
import type { Metadata } from './metadata.js';
import { authoredName } from './provenance.js';

/**
 * Of what the digests of a feed are made: a reader that computes them in another way cannot compare its own with them (design,
 * section 11). It rises with every change of `payloadHash` or of the element of a statement. Version 0.2.0 did not say its own,
 * which was 1: capabilities had a digest of their own.
 */
export const DIGEST_VERSION = 2;

/**
 * The hash of what is said about a component: SHA-256 of its metadata as JSON with the keys in this order, absent ones
 * left out, and lists sorted by UTF-16 code units (capabilities are in their canonical form); the first 128 bits as 22
 * characters of base64url. The same on every node for the same metadata, in whatever form it travelled.
 */
export function payloadHash(metadata: Metadata): string {
  const { uri, label, description, version, latest, integrity, capability, example } = metadata;
  const [author, tag, shapes] = [sorted(metadata.author), sorted(metadata.tag), sorted(metadata.shapes)];
  // Written out: spreading objects would take longer than hashing the text.
  return shortHash(
    JSON.stringify({
      uri,
      label,
      description,
      version,
      latest,
      integrity,
      author,
      tag,
      shapes,
      capability,
      example,
    }),
  );
}

function sorted(list: readonly string[]): readonly string[] | undefined {
  if (list.length < 2) return list.length === 0 ? undefined : list;
  return [...list].sort(compareText);
}

/**
 * The element of a source's multiset hash that stands for a statement: one document on one component. Documents count under
 * the names that they have where they were written: so a node and its readers, which keep them under longer names, have the
 * same elements.
 */
export function statementElement(document: string, metadata: Metadata): string {
  return `${authoredName(document)}\n${metadata.uri}\n${payloadHash(metadata)}`;
}
