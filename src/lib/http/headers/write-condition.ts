/** What the server of a resource says of its state: the `ETag`, where it sends one. */
export interface KnownState {
  readonly etag?: string | undefined;
}

/**
 * The header by which a server refuses a write when the resource is no longer what was read (RFC 9110, section 13.1); none
 * where the server cannot compare.
 * @param before undefined when nothing was there
 */
export function writeCondition(before: KnownState | undefined): Record<string, string> {
  if (!before) return { 'if-none-match': '*' };
  const { etag } = before;
  return etag !== undefined && isStrong(etag) ? { 'if-match': etag } : {};
}

/** Why a server cannot see to it that a write undoes nobody's change; undefined when it can. A sentence for people. */
export function whyUnconditional({ etag }: KnownState): string | undefined {
  if (etag === undefined)
    return 'Its server sends no ETag, so no write there is conditional: it is read once more before it is written, and a change in that moment would be lost.';
  if (isStrong(etag)) return undefined;
  return 'Its server sends a weak ETag, which no write can be bound to: it is read once more before it is written, and a change in that moment would be lost.';
}

/** `If-Match` compares strongly, so that a weak validator never matches (RFC 9110, section 8.8.3.2). */
function isStrong(etag: string): boolean {
  return !etag.startsWith('W/');
}
