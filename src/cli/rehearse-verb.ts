import { PORT } from '../config/schema.js';
import { isHttpUrl } from '../config/url.js';
import { type Config, loadConfig } from '../config.js';
import { isHarmless, type Rehearsal } from '../explain/rehearsal.js';
import { rehearsalText } from '../explain/rehearsal-text.js';
import { FetchFailure, type GuardedFetch } from '../lib/fetch/guarded-fetch.js';
import { jsonValue } from '../lib/json.js';
import { nodeName } from '../node/node-name.js';
import { withCommandFetch } from './command-fetch.js';
import type { ConfigOptions, Terminal } from './terminal.js';

interface RehearseOptions extends ConfigOptions {
  readonly json?: true;
}

/** How long the node is waited for, in ms: it reads all of the source before it answers. */
const PATIENCE_MS = 3_600_000;

/** Has the node that runs with the configuration say what trusting the pod or node at a URL would lead to. */
export async function run(url: string, options: RehearseOptions, terminal: Terminal): Promise<number> {
  const config = loadConfig({ file: options.config });
  if (!isHttpUrl(url))
    throw new Error('Name a pod or a node by its URL, like https://pod.example/components/');
  const rehearsal = await withCommandFetch('rehearse', (fetch) =>
    rehearsed(url, config, { fetch, terminal }),
  );
  terminal.say(options.json ? JSON.stringify(rehearsal, null, 2) : rehearsalText(rehearsal));
  // 1 when the source cannot be read; 3 when it would change, hide or be refused something.
  if (rehearsal.error !== undefined) return 1;
  return isHarmless(rehearsal) ? 0 : 3;
}

/** @throws Error that says what to do when the node cannot be asked, or refuses */
async function rehearsed(
  url: string,
  config: Config,
  { fetch, terminal }: { readonly fetch: GuardedFetch; readonly terminal: Terminal },
): Promise<Rehearsal> {
  const { operatorToken } = config;
  if (operatorToken === undefined)
    throw new Error(
      'the running node rehearses for its operator alone: set REGISTRY_OPERATOR_TOKEN to the token that the node was started with',
    );
  const node = ownAddress(config);
  terminal.note(`the node at ${node} reads it, which may take minutes …`);
  const answer = await fetch(`${node}/rehearse`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${operatorToken}` },
    body: JSON.stringify({ url }),
    trust: 'configured',
    timeoutMs: PATIENCE_MS,
  }).catch((error: unknown) => {
    if (!(error instanceof FetchFailure) || error.reason !== 'connection') throw error;
    throw new Error(
      `no node answers at ${node} (${error.message}): start the node, and run this where it runs, with its configuration`,
    );
  });
  const said = jsonValue(await answer.text());
  if (answer.status === 200) return said as Rehearsal;
  const { detail = 'is it a node?' } = (said ?? {}) as { detail?: string };
  throw new Error(`the node at ${node} answers ${answer.status}: ${detail}`);
}

/**
 * Where the node that runs with a configuration on this machine is asked: where it listens, or else at its public URL, where
 * that alone is known. Without trailing slash. @throws Error when neither is known
 */
function ownAddress({ baseUrl, listen: { host, port } }: Config): string {
  if (port === 0 && !baseUrl.includes(PORT)) return baseUrl;
  if (port === 0)
    throw new Error('listen.port is 0, so nobody knows where the node listens: set it to a port');
  // What listens on all addresses of the machine is reached at its loopback address.
  const reached = ({ '0.0.0.0': '127.0.0.1', '::': '::1' } as Record<string, string>)[host] ?? host;
  return `http://${nodeName({ listen: { host: reached, port } })}`;
}
