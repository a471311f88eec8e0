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

/** Puts a question to the first node that answers it. */
export type AskNodes = (body: string, path?: QuestionPath) => Promise<NodeAnswer>;

/** What nodes can be asked, by the path behind their URL. Nodes of other makes have the first alone. */
const READERS = { 'component/query': readListing, match: readMatches } as const;
type QuestionPath = keyof typeof READERS;

/** Statuses that say that the node is overloaded, or is none; all other refusals leave it in its place. */
const NODE_FAULTS = [404, 405, 408, 429];
/** How long a node that failed is left alone, in ms. */
const REST_MS = 30_000;
/** For one answer of one node, in ms, and its bytes. */
const TIMEOUT_MS = 8_000;
const MAX_BYTES = 50_000_000;
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
  /** By path and body of the question, the least recently used first. */
  const kept = new Map<string, NodeAnswer>();
  return async (body, path = 'component/query') => {
    const key = `${path} ${body}`;
    const errors: HostError[] = [];
    const rest = (url: string) => Math.max(0, (resting.get(url) ?? 0) - Date.now());
    for (const node of urls.toSorted((one, other) => rest(one) - rest(other))) {
      try {
        const answer = { node, components: await ask(node, body, path, fetch) };
        resting.delete(node);
        keep(kept, key, answer);
        return answer;
      } catch (error) {
        if (!(error instanceof HostError)) throw error;
        errors.push(error);
        if (!isRefusal(error) && !lacks(error, path)) resting.set(node, Date.now() + REST_MS);
      }
    }
    const latest = kept.get(key);
    if (latest) return latest;
    throw noAnswer(errors);
  };
}

async function ask(node: string, body: string, path: QuestionPath, fetch: Fetch): Promise<readonly Listed[]> {
  const response = await askForSuccess(`${node}/${path}`, {
    fetch,
    timeoutMs: TIMEOUT_MS,
    method: 'POST',
    // One media type: some nodes answer lists with 500.
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body,
    credentials: 'omit',
  });
  return READERS[path](await textOf(response, MAX_BYTES), node);
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
function lacks({ status = 0 }: HostError, path: QuestionPath): boolean {
  return path !== 'component/query' && [404, 405].includes(status);
}

function isRefusal({ status = 0 }: HostError): boolean {
  return status >= 400 && status < 500 && !NODE_FAULTS.includes(status);
}
