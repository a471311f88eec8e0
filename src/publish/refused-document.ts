/** Answers that say: it is there, in a format that was not asked for. Community Solid Server answers 501 for RFC 9110's 406. */
const OTHER_FORMAT: readonly number[] = [406, 501];

/** Does a server that answers a request for RDF with this status have the document in another format? No right would help. */
export function isOtherFormat(status: number): boolean {
  return OTHER_FORMAT.includes(status);
}

/** What its author can do about a document that is answered with this status instead of 200. */
export function mendOfStatus(status: number): string {
  if (isOtherFormat(status))
    return (
      'it is kept in another format, which the server cannot give as Turtle or JSON-LD: ' +
      'save it as Turtle (text/turtle); nobody lacks a right'
    );
  if (status === 401 || status === 403) return 'let everyone read it, at this URL';
  if (status === 404 || status === 410) return 'put it at this URL';
  return 'the server has to answer 200 at this URL: look there, or try again later';
}

/**
 * How its owner lets everybody read a document or container. Rules of access are never written for them: rules of its own would
 * replace those that it has from its container (Web Access Control, section 5.1).
 * @param rules where they are, as far as the server says
 */
export function howToOpen(rules: string | undefined): string {
  const inSettings = 'let everybody read it in the settings of your pod';
  if (rules === undefined) return inSettings;
  const first = 'where it has none of its own yet, copy those of its container first: they replace them';
  return `${inSettings}, or give the class foaf:Agent the right acl:Read in its rules, ${rules} (${first})`;
}
