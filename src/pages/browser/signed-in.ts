import { byId, wordsOf } from './element.js';

export interface Asked {
  readonly text: string;
  /** Undefined for an answer that is no JSON. */
  readonly json: unknown;
  readonly headers: Headers;
}

/** Sends a request with the visitor's token to a path of the node. @throws Error with what the node said, for people */
export type Ask = (method: string, path: string, body?: object, accept?: string) => Promise<Asked>;

/**
 * Has the form `#sign-in` take a token, which stays in the memory of the page: nothing stores it, and it is gone when the
 * page is closed or loaded again. `begin` shows what the token opens; when that fails, the form says why and stays.
 */
export function offerSignIn(begin: (ask: Ask) => Promise<void>): void {
  const form = byId<HTMLFormElement>('sign-in');
  const [fault, desk] = [byId('sign-in-fault'), byId('desk')];
  form.hidden = false;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const token = form.querySelector('input')?.value.trim() ?? '';
    fault.textContent = '';
    try {
      await begin((...request) => ask(token, ...request));
    } catch (error) {
      fault.textContent = wordsOf(error);
      return;
    }
    form.reset();
    form.hidden = true;
    desk.hidden = false;
    desk.focus();
  });
  byId('sign-out').addEventListener('click', () => location.reload());
}

async function ask(
  token: string,
  ...[method, path, body, accept = 'application/json']: Parameters<Ask>
): Promise<Asked> {
  const headers: Record<string, string> = { accept, authorization: `Bearer ${token}` };
  if (body) headers['content-type'] = 'application/json';
  const answer = await fetch(`${document.body.dataset.root}${path}`, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  }).catch(() => {
    throw new Error('The node does not answer. Is it running?');
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(refusalIn(text, answer.status));
  const isJson = answer.headers.get('content-type')?.includes('json');
  return { text, json: isJson ? JSON.parse(text) : undefined, headers: answer.headers };
}

/** What a problem document says (RFC 9457), with the faults that it names. */
function refusalIn(text: string, status: number): string {
  try {
    const {
      detail,
      title,
      errors = [],
    } = JSON.parse(text) as {
      detail?: string;
      title?: string;
      errors?: { detail: string }[];
    };
    const faults = errors.map((fault) => fault.detail).join('; ');
    return `${detail ?? title ?? `The node answers ${status}`}${faults === '' ? '' : `: ${faults}`}.`;
  } catch {
    return `The node answers ${status}.`;
  }
}
