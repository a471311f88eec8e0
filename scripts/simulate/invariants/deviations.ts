import { sameSource } from '../../../src/component/source.js';
import type { Expectation } from '../model/expectation.js';
import type { SimulatedNode } from '../nodes/simulated-node.js';
import type { Rule } from './violation.js';

/** How a node differs from what is expected of it. */
export interface Deviation {
  readonly rule: Rule;
  readonly message: string;
}

/** What is looked at of a listing. */
interface Listed {
  readonly uri: string;
  readonly label: string;
  readonly source: { readonly kind: string; readonly url: string };
}

const HELD_HERE = 'sample';

/** The first way in which a node differs from what is expected of it; nothing when it does not. */
export async function deviationOf(
  node: SimulatedNode,
  expected: Expectation,
  { isBounded }: { readonly isBounded: boolean },
): Promise<Deviation | undefined> {
  if (!node.isRunning) return { rule: 'answers', message: `${node.name} does not run` };
  return (
    (isBounded ? undefined : wrongLists(node, expected)) ??
    wrongStatements(node, expected) ??
    (await wrongAnswers(node, expected))
  );
}

function wrongLists(node: SimulatedNode, { known }: Expectation): Deviation | undefined {
  const { peers, storage } = node.data.network;
  return wrongList(node, 'peer', peers, known.peers) ?? wrongList(node, 'pod', storage, known.pods);
}

function wrongList(
  { name }: SimulatedNode,
  kind: string,
  listed: readonly { readonly url: string; readonly hops: number }[],
  known: ReadonlyMap<string, number>,
): Deviation | undefined {
  const list = new Map(listed.map(({ url, hops }) => [url, hops]));
  const missing = [...known.keys()].find((url) => !list.has(url));
  if (missing) return { rule: 'answers', message: `${name} does not know the ${kind} ${missing}` };
  for (const [url, hops] of list) {
    const distance = known.get(url);
    if (distance === undefined) return { rule: 'zombies', message: `${name} lists the ${kind} ${url}` };
    if (distance !== hops)
      return { rule: 'answers', message: `${name} lists ${url} at ${hops} hops, not ${distance}` };
  }
  return undefined;
}

/** What is stored beside what is served, which answers do not show. */
function wrongStatements(node: SimulatedNode, { known, statements }: Expectation): Deviation | undefined {
  for (const [key, { source }] of node.data.sources) {
    if (source.kind === HELD_HERE) continue;
    const held = node.data.statements.filter((one) => one.metadata && sameSource(one.source, source)).length;
    const expected = statements.get(key) ?? 0;
    if (held > expected)
      return { rule: 'zombies', message: `${node.name} holds ${held} statements of ${key}, not ${expected}` };
    if (held < expected)
      return { rule: 'answers', message: `${node.name} holds ${held} statements of ${key}, not ${expected}` };
    const isKnown = source.kind === 'local' || known.peers.has(source.url) || known.pods.has(source.url);
    if (!isKnown) return { rule: 'memory', message: `${node.name} still remembers ${key}` };
  }
  const missing = [...statements.keys()].find((key) => !node.data.sources.has(key));
  return missing ? { rule: 'answers', message: `${node.name} holds nothing of ${missing}` } : undefined;
}

async function wrongAnswers(node: SimulatedNode, { answers }: Expectation): Promise<Deviation | undefined> {
  const answer = await node.ask('/component', { headers: { accept: 'application/json' } });
  const { status, body } = answer ?? {};
  if (status !== 200 || !(body instanceof Uint8Array))
    return { rule: 'answers', message: `${node.name} answers ${status}` };
  const listed = JSON.parse(Buffer.from(body).toString()) as Listed[];
  const seen = new Set<string>();
  for (const { uri, label, source } of listed) {
    seen.add(uri);
    const expected = answers.get(uri);
    const said = `"${label}" of ${source.kind} ${source.url}`;
    if (!expected) return { rule: 'zombies', message: `${node.name} serves ${uri}: ${said}` };
    if (expected.label !== label || expected.source !== `${source.kind} ${source.url}`) {
      const right = `"${expected.label}" of ${expected.source}`;
      return { rule: 'answers', message: `${node.name} serves ${uri} as ${said}, not as ${right}` };
    }
  }
  const missing = [...answers.keys()].find((uri) => !seen.has(uri));
  return missing ? { rule: 'answers', message: `${node.name} does not serve ${missing}` } : undefined;
}
