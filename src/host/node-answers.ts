import { withoutTrailingSlashes } from '../lib/trailing-slashes.js';
import { askForSuccess, type Fetch, textOf } from './fetching.js';
import { HostError } from './host-error.js';
import { type Listed, readListing, readMatches } from './listing.js';

/** What a node answered to a question. */
export interface NodeAnswer {
  /** URL of the node, without a trailing slash. */
  readonly node: string;
  readonly components: readonly Listed[];
}

/** A question as it is sent: to which path behind the URL of a node, and what its body says. */
export interface Question {
  /** Nodes of other makes have the first alone. */
  readonly path: 'component/query' | 'match';
  readonly body: Readonly<Record<string, unknown>>;
}

/** Puts a question to the first node that answers it. */
export type AskNodes = (question: Question) => Promise<NodeAnswer>;

/** Statuses that say that the node is overloaded, or is none; all other refusals leave it in its place. */
const NODE_FAULTS = [404, 405, 408, 429];
/** How long a node that failed is left alone, in ms. */
const REST_MS = 30_000;
/** How long a node whose listing could not be read is asked by POST alone, in ms. */
const BY_POST_MS = 600_000;
/** For one answer of one node, in ms, and its bytes. */
const TIMEOUT_MS = 8_000;
const MAX_BYTES = 50_000_000;
/** Characters of the longest URL that a query is asked by: some proxies refuse longer ones. */
const LONGEST_URL = 2_000;
/** Answers that are kept, the least recently used goes first. */
const MOST_KEPT = 100;

/**
 * Asks the nodes in their order, those that failed lately last. When none answers, the last answer to the question is given.
 * @throws HostError `status` when every node refuses the question; `network` when none answers and none did before
 */
export function nodesToAsk(nodes: readonly string[], fetch: Fetch): AskNodes {
  const urls = [...new Set(nodes.map((url) => withoutTrailingSlashes(url)))];
  /** Until when a node that failed is left alone, ms since the epoch. */
  const resting = new Map<string, number>();
  /** By question, the least recently used first. */
  const kept = new Map<string, NodeAnswer>();
  const ask = asker(fetch);
  return async (question) => {
    const key = JSON.stringify(question);
    const errors: HostError[] = [];
    const rest = (url: string) => Math.max(0, (resting.get(url) ?? 0) - Date.now());
    for (const node of urls.toSorted((one, other) => rest(one) - rest(other))) {
      try {
        const answer = { node, components: await ask(node, question) };
        resting.delete(node);
        keep(kept, key, answer);
        return answer;
      } catch (error) {
        if (!(error instanceof HostError)) throw error;
        errors.push(error);
        if (!isRefusal(error) && !lacks(error, question)) resting.set(node, Date.now() + REST_MS);
      }
    }
    const latest = kept.get(key);
    if (latest) return latest;
    throw noAnswer(errors);
  };
}

/** Statuses of a node that is asked too much: the same question in another form would only add to that. */
const OCCUPIED = [408, 429, 503];

/**
 * Asks one node. Queries are asked by URL: so a browser reuses an answer by its `ETag`, and sends no preflight.
 * Nodes of other makes may ignore what the URL says. They are known by components without a source, and asked as
 * the specification has it; for a while so is a node whose listing could not be read.
 */
function asker(fetch: Fetch) {
  /** Until when a node is asked by POST alone, ms since the epoch. */
  const foreign = new Map<string, number>();
  const read = async (url: string, init: RequestInit) =>
    textOf(
      await askForSuccess(url, { fetch, timeoutMs: TIMEOUT_MS, credentials: 'omit', ...init }),
      MAX_BYTES,
    );
  const isForeign = (node: string) => Date.now() < (foreign.get(node) ?? 0);
  // One media type: some nodes answer lists with 500.
  const accept = 'application/json';

  /** Undefined where the node has to be asked in the other way. */
  const byUrl = async (node: string, url: string) => {
    try {
      const components = readListing(await read(url, { headers: { accept } }), node);
      if (components.every(({ source }) => source)) return components;
      foreign.set(node, Number.POSITIVE_INFINITY);
    } catch (error) {
      if (!(error instanceof HostError) || error.reason === 'network') throw error;
      if (OCCUPIED.includes(error.status ?? 0)) throw error;
      // All that the node lists may be too much to read: next time less is asked for.
      if (error.reason !== 'status') foreign.set(node, Date.now() + BY_POST_MS);
      if (error.reason === 'timeout') throw error;
    }
    return undefined;
  };

  return async (node: string, { path, body }: Question): Promise<readonly Listed[]> => {
    const url = path === 'match' || isForeign(node) ? undefined : queryUrl(node, body);
    const found = url === undefined ? undefined : await byUrl(node, url);
    if (found) return found;
    const headers = { accept, 'content-type': 'application/json' };
    const answer = await read(`${node}/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    return path === 'match' ? readMatches(answer, node) : readListing(answer, node);
  };
}

/** The URL that asks for the same; undefined where it would be too long. */
function queryUrl(node: string, constraints: Question['body']): string | undefined {
  const parameters = new URLSearchParams();
  for (const [name, wanted] of Object.entries(constraints))
    for (const value of [wanted ?? []].flat()) parameters.append(name, String(value));
  const url = `${node}/component?${parameters}`;
  return url.length > LONGEST_URL ? undefined : url;
}

function keep(kept: Map<string, NodeAnswer>, key: string, answer: NodeAnswer): void {
  kept.delete(key);
  kept.set(key, answer);
  const [oldest] = kept.keys();
  if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
}

function noAnswer(errors: readonly HostError[]): HostError {
  const [first] = errors;
  if (first && errors.every(isRefusal)) return first;
  const why = errors.map(({ message }) => message).join('; ');
  return new HostError('network', `no registry node answers: ${why}`);
}

/** A node of another make has not all paths. */
function lacks({ status = 0 }: HostError, { path }: Question): boolean {
  return path !== 'component/query' && [404, 405].includes(status);
}

function isRefusal({ status = 0 }: HostError): boolean {
  return status >= 400 && status < 500 && !NODE_FAULTS.includes(status);
}
