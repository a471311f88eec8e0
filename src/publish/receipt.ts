import { explain } from '../lib/faults.js';
import { withoutTrailingSlashes } from '../lib/trailing-slashes.js';
import type { Fetch } from './document.js';

/** What has become of a document at one node. */
export interface Listed {
  readonly node: string;
  /** Does the node say of the document's components what the document says? */
  readonly listed: boolean;
  /** As the node has it (ISO 8601): when it first saw the components as they are now. */
  readonly since?: string | undefined;
  /** Ms from the hint until the node had it. */
  readonly afterMs?: number;
  /** Why not, or what else is to be known. */
  readonly reason?: string | undefined;
}

export interface Expected {
  readonly document: string;
  /** What the document's server calls its form, as everybody is given it. */
  readonly etag?: string | undefined;
  /** What the document describes of what was published; none after a withdrawal. */
  readonly components: readonly { readonly uri: string; readonly version?: string | undefined }[];
  /** What it no longer describes. */
  readonly gone: readonly string[];
  /** By node, since when it has listed what has been changed: see `listedSince`. */
  readonly before?: ReadonlyMap<string, Since>;
}

/** Since when a node has listed components in one form, by their uris. */
export type Since = ReadonlyMap<string, string | undefined>;

/** How nodes are asked, and for how long. */
export interface Asking {
  readonly fetch: Fetch;
  readonly now: () => number;
  /** Rejects when the signal is aborted first. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly patienceMs: number;
  readonly signal: AbortSignal;
  /** Told of what the node says while it is waited for. */
  readonly said?: (listed: Listed) => void;
}

/** Pauses between two looks, in ms: the first one, and how they grow. */
const PAUSE = { first: 500, longest: 5_000, growth: 1.2 } as const;
/** Nodes take one hint a minute for one address: a hint about the container comes some seconds later, another one after that. */
const LATER_HINTS = [
  { afterMs: 5_000, topicOf: (document: string) => new URL('.', document).href },
  { afterMs: 66_000, topicOf: (document: string) => document },
] as const;

/** The part of an answer of `/why?document=` that is used here; another node may send anything. */
interface Receipt {
  readonly form?: { readonly etag?: string };
  readonly error?: string;
  readonly nextAttempt?: string;
  readonly invalid?: readonly { readonly subject: string; readonly reasons: readonly string[] }[];
  readonly descriptions: readonly {
    readonly uri: string;
    readonly version?: string;
    readonly since?: string;
    readonly served: boolean;
  }[];
}

/** Since when a node has listed some components of a document as they are before a change. Never throws for what the node does. */
export async function listedSince(
  node: string,
  document: string,
  uris: readonly string[],
  { fetch, signal }: Pick<Asking, 'fetch' | 'signal'>,
): Promise<Since> {
  const receipt = await receiptOf(node, document, fetch, signal).catch(() => undefined);
  const known = receipt?.descriptions.filter(({ uri }) => uris.includes(uri)) ?? [];
  return new Map(known.map(({ uri, since }) => [uri, since]));
}

/**
 * Tells a node that a document has changed, and waits until it lists it so. One answer is waited for, however short the patience.
 * Never throws for what the node does.
 */
export async function listedOn(node: string, expected: Expected, asking: Asking): Promise<Listed> {
  const { now, sleep, patienceMs, signal, said } = asking;
  const { document } = expected;
  const start = now();
  const over = new AbortController();
  const within = { ...asking, signal: AbortSignal.any([signal, over.signal]) };
  // Patience is a pause, which ends requests, too: the clock may be set back, and a node may never answer.
  const later = (ms: number, task: () => unknown) =>
    void sleep(ms, within.signal).then(task, () => undefined);
  later(patienceMs, () => over.abort());
  for (const { afterMs, topicOf } of LATER_HINTS) later(afterMs, () => hint(node, topicOf(document), within));
  await hint(node, document, asking);
  let listed = await look(node, expected, asking);
  try {
    for (
      let pause: number = PAUSE.first;
      !listed.listed;
      pause = Math.min(PAUSE.longest, pause * PAUSE.growth)
    ) {
      said?.(listed);
      await sleep(pause, within.signal);
      listed = await look(node, expected, within);
    }
    listed = { ...listed, afterMs: Math.max(0, now() - start) };
  } catch {
    signal.throwIfAborted();
  }
  over.abort();
  said?.(listed);
  return listed;
}

/** A node that is away is asked again; what it does with a hint shows in its receipt. */
async function hint(node: string, topic: string, { fetch, signal }: Asking): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ topic });
  const request = { method: 'POST', headers, body, credentials: 'omit', signal } as const;
  await fetch(`${withoutTrailingSlashes(node)}/hint`, request).then(
    (answer) => answer.body?.cancel(),
    () => undefined,
  );
}

async function look(node: string, expected: Expected, { fetch, signal }: Asking): Promise<Listed> {
  const { document, components } = expected;
  try {
    const receipt = await receiptOf(node, document, fetch, signal);
    if (receipt) return { node, ...judged(receipt, expected, expected.before?.get(node)) };
    if (components.length === 0) return { node, listed: true };
    const reason = `it reads no source that has this document: its operator can add ${document}`;
    return { node, listed: false, reason };
  } catch (failure) {
    signal.throwIfAborted();
    return { node, listed: false, reason: explain(failure) };
  }
}

/** Undefined where the node knows no such document. @throws Error when it cannot be asked, or is none */
async function receiptOf(
  node: string,
  document: string,
  fetch: Fetch,
  signal: AbortSignal,
): Promise<Receipt | undefined> {
  const url = `${withoutTrailingSlashes(node)}/why?${new URLSearchParams({ document })}`;
  const headers = { accept: 'application/json' };
  const answer = await fetch(url, { headers, credentials: 'omit', signal });
  const receipt: unknown = await answer.json().catch(() => undefined);
  if (answer.status === 404) return undefined;
  const { descriptions } = (receipt ?? {}) as Partial<Receipt>;
  if (answer.ok && Array.isArray(descriptions)) return receipt as Receipt;
  throw new Error(`${url} answers ${answer.status}: is it a node?`);
}

/** What a node's receipt says of what was published. */
function judged(
  { descriptions, form, invalid: [invalid] = [], error, nextAttempt }: Receipt,
  { components, gone, etag }: Expected,
  before: Since | undefined,
): Omit<Listed, 'node'> {
  const found = components.map((one) =>
    descriptions.find(({ uri, version }) => uri === one.uri && version === one.version),
  );
  const isGone = !descriptions.some(({ uri }) => gone.includes(uri));
  const isThisForm = !etag || !form?.etag || form.etag === etag;
  const isNew = found.every((one) => one && !(before?.has(one.uri) && before.get(one.uri) === one.since));
  if (isThisForm && isGone && isNew) {
    const since = found
      .flatMap((one) => one?.since ?? [])
      .sort()
      .at(-1);
    const isShadowed = found.some((one) => one?.served === false);
    return { listed: true, since, ...(isShadowed && { reason: 'it serves another description first' }) };
  }
  const fault = invalid && `${invalid.subject}: ${invalid.reasons.join(', ')}`;
  const next = nextAttempt === undefined ? '' : `; it looks again at ${nextAttempt}`;
  return { listed: false, reason: `${error ?? fault ?? 'it has not read this version yet'}${next}` };
}
