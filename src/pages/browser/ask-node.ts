/**
 * Sends a request to a path of the node that has sent the page. @throws Error with what the node says, for people: a problem document
 * (RFC 9457), with the faults that it names
 */
export async function askNode(path: string, request: RequestInit = {}): Promise<string> {
  const headers = new Headers(request.headers);
  if (!headers.has('accept')) headers.set('accept', 'application/json');
  if (request.body) headers.set('content-type', 'application/json');
  const url = `${document.body.dataset.root}${path}`;
  const answer = await fetch(url, { cache: 'no-store', ...request, headers }).catch(() => {
    throw new Error('The node does not answer. Is it running?');
  });
  const text = await answer.text();
  if (answer.ok) return text;
  throw new Error(faultIn(text, answer.status));
}

/** What a problem document says, in a sentence; else the status. */
export function faultIn(text: string, status: number): string {
  let problem: { detail?: string; errors?: readonly { detail: string }[] } = {};
  try {
    problem = JSON.parse(text);
  } catch {
    // Something else answers than the node.
  }
  const { detail = `The node answers ${status}`, errors = [] } = problem;
  return `${[detail, ...errors.map((one) => one.detail)].join(': ')}.`;
}
