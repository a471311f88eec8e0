import { authoredName } from '../../../component/provenance.js';
import { ask, giveUp, pageFetch } from '../../../host/fetching.js';

/** How long a node may take to answer, in ms. */
const PATIENCE_MS = 5000;

/** What a node says of a component. Times are as it writes them (ISO 8601). */
export type Said =
  /** It lists it; `document`: whose description it serves. */
  | { readonly is: 'listed'; readonly since?: string; readonly document?: string; readonly why?: string }
  | { readonly is: 'absent'; readonly why: string }
  /** It cannot be asked. */
  | { readonly is: 'silent'; readonly why: string };

/** The part of `/why` that is used here; another node may send anything. */
interface Why {
  readonly served?: boolean;
  readonly statements?: readonly { since?: string; document?: string; served?: boolean; rule?: string }[];
  readonly invalid?: readonly { reasons?: readonly string[] }[];
  readonly removed?: readonly { at?: string }[];
  readonly refused?: readonly { url?: string; reason?: string }[];
  readonly unread?: readonly { url?: string; error?: string; state?: string }[];
  readonly source?: { url?: string; state?: string; error?: string; lastSuccess?: string };
}

/** Asks a node (its base URL, without a slash at the end) whether it lists a component, and why not. Never throws. */
export async function askNode(node: string, uri: string): Promise<Said> {
  try {
    const why = await readJson<Why>(`${node}/why?${new URLSearchParams({ uri })}`);
    if (why) return whatItSays(why);
    // Software of others: the specification has the address of a component, and no reasons.
    const component = await readJson(`${node}/c/${encodeURIComponent(uri)}`);
    return component ? { is: 'listed' } : { is: 'absent', why: 'it gives no reason' };
  } catch (error) {
    return { is: 'silent', why: error instanceof Error ? error.message : String(error) };
  }
}

/** Why a node has not read a document: what it says of the pod that has it. Undefined where the pod is read without faults. */
export async function whyUnread(node: string, document: string): Promise<string | undefined> {
  const why = await readJson<Why>(`${node}/why?${new URLSearchParams({ uri: document })}`);
  const [invalid] = why?.invalid ?? [];
  if (invalid) return `it breaks a rule: ${invalid.reasons?.join('; ')}`;
  if (!why?.source) return 'no source that it reads has this address: its operator can add it to the pods';
  const { url, state, error } = why.source;
  return state === 'ok' || state === 'waiting' ? undefined : `it could not read ${url}: ${error ?? state}`;
}

/** The JSON at a URL, or undefined where there is none. @throws HostError when the server cannot be asked */
async function readJson<T>(url: string): Promise<T | undefined> {
  const request = {
    fetch: pageFetch,
    timeoutMs: PATIENCE_MS,
    credentials: 'omit',
    cache: 'no-store',
  } as const;
  const answer = await ask(url, { ...request, headers: { accept: 'application/json' } });
  if (answer.ok) return (await answer.json()) as T;
  await giveUp(answer);
  return undefined;
}

function whatItSays(why: Why): Said {
  const [first] = why.statements ?? [];
  if (first) {
    const { since, document, rule } = first;
    return { is: 'listed', since, document: document && authoredName(document), why: rule };
  }
  return { is: 'absent', why: whyAbsent(why) };
}

/** The weightiest reason first. */
function whyAbsent({ invalid = [], removed = [], refused = [], unread = [] }: Why): string {
  const [broken, gone, kept, failing] = [invalid[0], removed.at(-1), refused[0], unread[0]];
  if (broken) return `its description breaks a rule: ${broken.reasons?.join('; ')}`;
  if (gone) return `its description was found gone at ${gone.at}`;
  if (kept) return `it does not read ${kept.url} (${kept.reason})`;
  if (failing)
    return `nothing that it could read describes it; ${failing.url} could not be read: ${failing.error ?? failing.state}`;
  return 'nothing that it reads describes it';
}
