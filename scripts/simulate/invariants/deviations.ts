import type { Expectation } from '../model/expectation.js';
import { JSON_ASKED, type SimulatedNode, textOf } from '../nodes/simulated-node.js';
import type { SimulatedProcess } from '../nodes/simulated-process.js';
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
  const stored = (isBounded ? undefined : wrongLists(node, expected)) ?? wrongStatements(node, expected);
  if (stored) return stored;
  for (const process of node.processes) {
    const deviation = (await wrongAnswers(node, process, expected)) ?? (await wrongState(node, process));
    if (deviation) return deviation;
  }
  return undefined;
}

function wrongLists(node: SimulatedNode, { known }: Expectation): Deviation | undefined {
  const { peers, storage } = node.stored.network;
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
  for (const [key, { source }] of node.stored.sources) {
    if (source.kind === HELD_HERE) continue;
    const held = node.stored.saidBy(source).length;
    const expected = statements.get(key) ?? 0;
    if (held > expected)
      return { rule: 'zombies', message: `${node.name} holds ${held} statements of ${key}, not ${expected}` };
    if (held < expected)
      return { rule: 'answers', message: `${node.name} holds ${held} statements of ${key}, not ${expected}` };
    const isKnown = source.kind === 'local' || known.peers.has(source.url) || known.pods.has(source.url);
    if (!isKnown) return { rule: 'memory', message: `${node.name} still remembers ${key}` };
  }
  const missing = [...statements.keys()].find((key) => !node.stored.sources.has(key));
  return missing ? { rule: 'answers', message: `${node.name} holds nothing of ${missing}` } : undefined;
}

/** What a process tells of where it stands, against what is stored. */
async function wrongState(node: SimulatedNode, process: SimulatedProcess): Promise<Deviation | undefined> {
  const { stored, storage } = node;
  if (!stored.state) return undefined;
  const until = `${storage.head.epoch}.${stored.state}`;
  const told = await node.told(process);
  if (told === until) return undefined;
  return { rule: 'answers', message: `${node.name} does not say that it is at ${until}, but at ${told}` };
}

async function wrongAnswers(
  node: SimulatedNode,
  process: SimulatedProcess,
  { answers }: Expectation,
): Promise<Deviation | undefined> {
  const answer = await node.ask('/component', JSON_ASKED, process);
  if (answer?.status !== 200) return { rule: 'answers', message: `${node.name} answers ${answer?.status}` };
  const listed = JSON.parse(textOf(answer)) as Listed[];
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
