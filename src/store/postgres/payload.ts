import type { Metadata } from '../../component/metadata.js';

/** Metadata as a text that is the same exactly for the same metadata; see `sameMetadata`. */
export function payloadOf({
  uri,
  label,
  description,
  version,
  latest,
  integrity,
  author,
  tag,
  shapes,
}: Metadata): string {
  return JSON.stringify({ uri, label, description, version, latest, integrity, author, tag, shapes });
}

/**
 * How a member with this value is written in a payload, and nothing else: inside of strings, quotes have a backslash before
 * them. What follows a boolean is no part of it, because no other value begins like one.
 */
export function memberText(field: 'description' | 'latest', value: string | boolean | undefined): string {
  return `${JSON.stringify(field)}:${JSON.stringify(value)}`;
}

/** Reads back what `payloadOf` wrote. */
export function metadataOf(payload: string): Metadata {
  return JSON.parse(payload) as Metadata;
}
