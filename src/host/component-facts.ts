import { askForSuccess, type Fetch, parseJson, textOf } from './fetching.js';
import { HostError } from './host-error.js';
import { isObject } from './listing.js';

/**
 * What a node knows of a component by itself; nothing that its author writes sets any of it. Times are in ISO 8601.
 */
export interface ComponentFacts {
  /** When the node first saw the component described, or its module. */
  readonly firstSeen: string;
  /** When the node first read the source whose description it serves; absent for what was posted to it. */
  readonly sourceFirstRead?: string;
  /**
   * Whose host serves the module: the node's, that of the source which describes it, that of an author whom the description
   * names (anybody can name one), or another one.
   */
  readonly module: {
    readonly host: string;
    readonly of: 'node' | 'source' | 'named-author' | 'other';
  };
  /** The npm package that the module's address names. The node has not compared the bytes. */
  readonly npm?: {
    readonly name: string;
    readonly version: string;
    readonly cdn: string;
    readonly verified: false;
  };
  /** Other components of its name, described by other sources. */
  readonly sameName: number;
  /** What the node saw of the bytes of this version; absent where it has not looked. */
  readonly bytes?: {
    readonly firstSeen: string;
    readonly changed: boolean;
    readonly changedAt?: string;
  };
}

export interface FactsRequest {
  readonly fetch: Fetch;
  /** For the answer of one node. */
  readonly timeoutMs: number;
  /** Of one answer. */
  readonly maxBytes: number;
}

/**
 * The facts that the first of some nodes tells of a component (`GET /why`). None where no node serves it; nodes of other makes
 * and of earlier versions tell none.
 * @throws HostError when no node answers
 */
export async function factsFrom(
  nodes: readonly string[],
  uri: string,
  request: FactsRequest,
): Promise<ComponentFacts | undefined> {
  const errors: HostError[] = [];
  for (const node of nodes) {
    try {
      const facts = await readFacts(`${node}/why?${new URLSearchParams({ uri })}`, request);
      if (facts) return facts;
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      errors.push(error);
    }
  }
  const [first] = errors;
  if (first && errors.length === nodes.length) throw first;
  return undefined;
}

async function readFacts(
  url: string,
  { maxBytes, ...request }: FactsRequest,
): Promise<ComponentFacts | undefined> {
  const headers = { accept: 'application/json' };
  const response = await askForSuccess(url, { ...request, headers, credentials: 'omit' });
  const answer = parseJson(await textOf(response, maxBytes), url);
  return isObject(answer) && isObject(answer.facts) ? (answer.facts as unknown as ComponentFacts) : undefined;
}
