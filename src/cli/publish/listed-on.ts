import * as z from 'zod';
import type { Metadata } from '../../component/metadata.js';
import type { Clock } from '../../lib/clock.js';
import { explain } from '../../lib/faults.js';
import type { GuardedFetch } from '../../lib/fetch/guarded-fetch.js';
import { jsonValue } from '../../lib/json-value.js';
import { withoutTrailingSlashes } from '../../lib/trailing-slashes.js';

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
  readonly components: readonly Metadata[];
  /** What it no longer describes. */
  readonly gone: readonly string[];
  readonly fetch: GuardedFetch;
  readonly clock: Clock;
  readonly patienceMs: number;
  readonly signal: AbortSignal;
}

const EACH_MS = 1000;
/** Nodes take one hint a minute for one address: a hint about the container comes some seconds later, another one after that. */
const LATER_HINTS = [
  { afterMs: 5_000, topicOf: (document: string) => new URL('.', document).href },
  { afterMs: 66_000, topicOf: (document: string) => document },
] as const;

const receipt = z.object({
  form: z.object({ etag: z.string().optional() }).optional(),
  error: z.string().optional(),
  nextAttempt: z.string().optional(),
  invalid: z.array(z.object({ subject: z.string(), reasons: z.array(z.string()) })).optional(),
  descriptions: z.array(
    z.object({
      uri: z.string(),
      version: z.string().optional(),
      since: z.string().optional(),
      served: z.boolean(),
    }),
  ),
});
type Receipt = z.infer<typeof receipt>;

/**
 * Tells a node that a document has changed, and waits until it lists it so. One answer is waited for, however short the patience.
 * Never throws for what the node does.
 */
export async function listedOn(node: string, expected: Expected): Promise<Listed> {
  const { clock, patienceMs, signal, document } = expected;
  const base = withoutTrailingSlashes(node);
  const start = clock.now();
  const over = new AbortController();
  const within = { ...expected, signal: AbortSignal.any([signal, over.signal]) };
  // Patience is a pause, which ends requests, too: the clock may be set back, and a node may never answer.
  const later = (ms: number, task: () => unknown) =>
    void clock.sleep(ms, within.signal).then(task, () => undefined);
  later(patienceMs, () => over.abort());
  for (const { afterMs, topicOf } of LATER_HINTS) later(afterMs, () => hint(base, topicOf(document), within));
  await hint(base, document, expected);
  let now = await ask(base, expected);
  try {
    while (!now.listed) {
      await clock.sleep(EACH_MS, within.signal);
      now = await ask(base, within);
    }
    return { node, ...now, afterMs: Math.max(0, clock.now() - start) };
  } catch {
    signal.throwIfAborted();
    return { node, ...now };
  } finally {
    over.abort();
  }
}

/** A node that is away is asked again; what it does with a hint shows in its receipt. */
async function hint(base: string, topic: string, { fetch, signal }: Expected): Promise<void> {
  const body = JSON.stringify({ topic });
  const headers = { 'content-type': 'application/json' };
  const request = { method: 'POST', headers, body, trust: 'configured', turn: 'none', signal } as const;
  await fetch(`${base}/hint`, request).then(
    (answer) => answer.discard(),
    () => undefined,
  );
}

async function ask(base: string, expected: Expected): Promise<Omit<Listed, 'node'>> {
  const { fetch, document, signal } = expected;
  const url = `${base}/why?document=${encodeURIComponent(document)}`;
  try {
    const headers = { accept: 'application/json' };
    const answer = await fetch(url, { headers, trust: 'configured', turn: 'none', signal });
    const text = await answer.text();
    if (answer.status === 404)
      return expected.components.length === 0
        ? { listed: true }
        : {
            listed: false,
            reason: `it reads no source that has this document: its operator can add ${document}`,
          };
    const read = receipt.safeParse(jsonValue(text));
    if (answer.status !== 200 || !read.success)
      return { listed: false, reason: `${url} answers ${answer.status}: is it a node?` };
    return judge(read.data, expected);
  } catch (error) {
    signal.throwIfAborted();
    return { listed: false, reason: explain(error) };
  }
}

/** What a node's receipt says of what was published. */
function judge(read: Receipt, { components, gone, etag }: Expected): Omit<Listed, 'node'> {
  const found = components.map(({ uri, version }) =>
    read.descriptions.find((one) => one.uri === uri && one.version === version),
  );
  const isGone = gone.every((uri) => !read.descriptions.some((one) => one.uri === uri));
  const isThisForm = !etag || !read.form?.etag || read.form.etag === etag;
  if (isThisForm && isGone && found.every((one) => one !== undefined)) {
    const since = found
      .flatMap((one) => one?.since ?? [])
      .sort()
      .at(-1);
    const isShadowed = found.some((one) => one?.served === false);
    return { listed: true, since, ...(isShadowed ? { reason: 'it serves another description first' } : {}) };
  }
  const faults = (read.invalid ?? []).map(({ subject, reasons }) => `${subject}: ${reasons.join(', ')}`);
  const next = read.nextAttempt === undefined ? '' : `; it looks again at ${read.nextAttempt}`;
  return { listed: false, reason: `${read.error ?? faults[0] ?? 'it has not read this version yet'}${next}` };
}
