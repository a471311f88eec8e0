/** Answers that say: it is there, in a format that was not asked for. Community Solid Server answers 501 for RFC 9110's 406. */
const OTHER_FORMAT: readonly number[] = [406, 501];

/** Does a server that answers a request for RDF with this status have the document in another format? No right would help. */
export function isOtherFormat(status: number): boolean {
  return OTHER_FORMAT.includes(status);
}

/** What its author can do about a document that is answered with this status instead of 200. */
export function mendOfStatus(status: number): string {
  if (isOtherFormat(status))
    return 'it is kept in another format, which the server cannot give as Turtle or JSON-LD: save it as Turtle (text/turtle); nobody lacks a right';
  if (status === 401 || status === 403) return 'let everyone read it, at this URL';
  if (status === 404 || status === 410) return 'put it at this URL';
  return 'the server has to answer 200 at this URL: look there, or try again later';
}
