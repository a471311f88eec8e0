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

/** Reads back what `payloadOf` wrote. */
export function metadataOf(payload: string): Metadata {
  return JSON.parse(payload) as Metadata;
}
