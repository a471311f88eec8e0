/** What makes the next request for the same resource conditional (RFC 9110, section 8.8): the server's own words. */
export interface Validators {
  readonly etag?: string;
  readonly lastModified?: string;
}

/** Characters of a validator that is kept: it is kept for each document. */
const LONGEST = 512;

/** The validators of an answer, without those that are too long to keep. */
export function validatorsOf(headers: Headers): Validators {
  const kept = (value: string | null) => (value && value.length <= LONGEST ? value : undefined);
  return { etag: kept(headers.get('etag')), lastModified: kept(headers.get('last-modified')) };
}

/** The headers that make a request conditional. Where there is an entity tag, servers do not look at the date. */
export function conditionsOf({ etag, lastModified }: Validators): Record<string, string> {
  return {
    ...(etag && { 'if-none-match': etag }),
    ...(lastModified && { 'if-modified-since': lastModified }),
  };
}

export function isConditional({ etag, lastModified }: Validators): boolean {
  return Boolean(etag || lastModified);
}
