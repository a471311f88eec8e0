import { hash } from 'node:crypto';
import { compareText } from '../lib/compare-text.js';
import type { Metadata } from './metadata.js';
import { authoredName } from './provenance.js';

/**
 * The hash of what is said about a component: SHA-256 of its metadata as JSON with the keys in this order, absent ones
 * left out, and lists sorted by UTF-16 code units; the first 128 bits as 22 characters of base64url. The same on every
 * node for the same metadata, in whatever form it travelled. What nodes of earlier versions do not know has a hash of its
 * own, see `laterHash`.
 */
export function payloadHash({
  uri,
  label,
  description,
  version,
  latest,
  integrity,
  ...lists
}: Metadata): string {
  const { author, tag, shapes } = lists;
  // Written out: spreading objects would take longer than hashing the text.
  const text = JSON.stringify({
    uri,
    label,
    description,
    version,
    latest,
    integrity,
    author: sorted(author),
    tag: sorted(tag),
    shapes: sorted(shapes),
  });
  return shortHash(text);
}

/**
 * The hash of what nodes of earlier versions do not know, made like `payloadHash`: capabilities in their canonical form, and
 * what came after them; undefined where nothing of it is said.
 */
export function laterHash({ capability, example }: Metadata): string | undefined {
  const said = example === undefined ? capability : { capability, example };
  return said && shortHash(JSON.stringify(said));
}

/** The first 128 bits of SHA-256, as 22 characters of base64url. */
export function shortHash(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 22);
}

function sorted(list: readonly string[]): readonly string[] | undefined {
  if (list.length < 2) return list.length === 0 ? undefined : list;
  return [...list].sort(compareText);
}

/** What is added to the digest of a source for one statement: one document on one component. */
export interface DigestedStatement {
  readonly document: string;
  readonly uri: string;
  /** `payloadHash` of the metadata; `laterHash` in the multiset of what earlier versions do not know. */
  readonly hash: string;
}

/**
 * The element of a source's multiset hash that stands for a statement. Documents count under the names that they have
 * where they were written: so a node and its readers, which keep them under longer names, have the same elements.
 */
export function digestElement({ document, uri, hash }: DigestedStatement): string {
  return `${authoredName(document)}\n${uri}\n${hash}`;
}
