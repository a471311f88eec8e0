/** What holds in every network, whatever happens in it, and what watches over that. */
import { LOCAL, type Source, sourceKey } from '../../src/component/source.js';
import { answerText, type Expectation, expectations } from './expectation.js';
import type { Said } from './keep.js';
import type { SimulatedNode, SimulatedProcess } from './node.js';
import { MINUTE } from './time.js';
import type { World } from './world.js';

export const RULES = {
  answers: 'every node answers what its trust and the authorities imply',
  zombies: 'nothing that its author has deleted is held anywhere after the bound',
  idle: 'idle rounds move no bodies',
  revisions: 'no revision moves without a change',
  private: 'nothing private is dialled',
  memory: 'a node holds no more than follows from whom it knows',
  kept: 'what a source has said stays until it says otherwise, whatever fails meanwhile',
  order: 'of two readings of a source, the later one stays',
  repairs: 'peers are read anew only where something has gone wrong, and a few times for each',
} as const;

export type Rule = keyof typeof RULES;

/** A rule that a network has broken. */
export class Violation extends Error {
  override readonly name = 'Violation';

  constructor(
    readonly rule: Rule,
    message: string,
  ) {
    super(message);
  }
}

/** A poll may have read something so long before it is committed, in ms. */
const LONGEST_POLL = 30 * MINUTE;
/**
 * A peer may change while it is read: so many repairs in a run are nobody's fault, and each node may have
 * so many more for each fault.
 */
const REPAIRS = { calm: 4, fault: 3 };
/** So many removals, of so much of what a source has said, are not believed at once. */
const HELD = { components: 20, part: 0.5 };
/** `discovery.depth`, where the configuration has none. */
const SHIPPED_DEPTH = 3;
/** What a virtual network gives out for the internet: a rule of its own, so that a fault in that of the nodes shows. */
const PUBLIC = /^4[5-7]\.1\.\d{1,3}\.\d{1,3}$/;

/** Watches the wires, and what nodes commit while things go wrong. */
export function watch({ network, truth, time, nodes, pods }: World) {
  /** What went wrong first. */
  let found: unknown;
  /** By node and source: when the poll began that was stored last, in virtual ms. */
  const latest = new Map<string, number>();
  /** Polls that found a peer to contradict its digests, so that it is read anew, by node, source and time. */
  const repairs = new Set<string>();
  const fail = (error: unknown) => {
    found ??= error;
  };
  const note = (rule: Rule, message: string) => fail(new Violation(rule, message));
  /** Has a source said it all the time since a poll can have begun? Of what a peer has read elsewhere, nothing is asked. */
  const isSaid = ({ source: { kind, url }, document, uri }: Said) => {
    const since = time.elapsed - LONGEST_POLL;
    if (kind === 'pod') return truth.isSaid(url, document, uri, since);
    return document.endsWith(`:${encodeURIComponent(LOCAL.url)}`) && truth.isSaid(url, uri, uri, since);
  };
  /** A pod that says that it holds nothing is believed where that is little. */
  const isBelieved = (url: string, lost: number) =>
    truth.wasSilent(url, time.elapsed - LONGEST_POLL) &&
    (lost <= HELD.components || lost <= truth.saidBy(url).size * HELD.part);

  network.on('dialled', (from, host, address) => {
    const configured = truth.operators.get(`https://${from}`)?.pods ?? [];
    if (PUBLIC.test(address) || configured.some((url) => new URL(url).host === host)) return;
    note('private', `${from} opens a connection to ${host} at ${address}`);
  });
  network.on('exchanged', ({ from, to, target, status, bodyBytes }) => {
    if (!watching.isIdle || status !== 200 || bodyBytes === 0) return;
    // Containers of pods are always sent whole.
    if (pods.some(({ name }) => name === to) && target.endsWith('/')) return;
    note('idle', `${from} gets ${bodyBytes} bytes of ${to}${target}`);
  });
  network.on('committed', (node, { source, record, put, dropped, begun }) => {
    const key = `${node} ${sourceKey(source)}`;
    if (record.disagrees) repairs.add(`${key} ${record.lastAttempt}`);
    if (begun !== undefined && put.length + dropped.length > 0) {
      if (begun < (latest.get(key) ?? 0))
        note('order', `${node} stores an older reading of ${source.url} over a later one`);
      latest.set(key, begun);
    }
    const lost = dropped.filter(isSaid);
    const [first] = lost;
    if (first && !isBelieved(source.url, lost.length))
      note('kept', `${node} drops ${first.uri} of ${first.document}, which ${source.url} still says`);
  });
  const watching = {
    /** Is nothing supposed to happen at present? */
    isIdle: false,
    /** What could not be put right counts, too. */
    fail,
    /** @param faults so many have begun; @throws what went wrong first */
    check(faults: number): void {
      if (repairs.size > REPAIRS.calm + REPAIRS.fault * nodes.length * faults)
        note('repairs', `peers were read anew ${repairs.size} times after ${faults} faults`);
      if (found) throw found;
    },
  };
  return watching;
}

/** Compares all nodes with what is expected of them. @throws Violation for the first deviation, in the order of the nodes */
export async function compareNodes({ nodes, truth, options }: World): Promise<void> {
  const expectationOf = expectations(truth, Number(options.config.discovery?.depth ?? SHIPPED_DEPTH));
  for (const node of nodes) await compare(node, expectationOf(node.url));
}

/** What `/status` says of a source, as far as rules ask for it. */
type StatusOfSource = Source & { readonly hops: number; readonly components: number };

/** @throws Violation */
async function compare(node: SimulatedNode, expected: Expectation): Promise<void> {
  const { name, processes } = node;
  const { sources } = await told<{ sources: StatusOfSource[] }>(node, '/status');
  const hops = new Map(sources.map((one) => [sourceKey(one), one.hops]));
  const listed = async (kind: string, path: string) => {
    const urls = await told<string[]>(node, path);
    return new Map(urls.map((url) => [url, hops.get(`${kind} ${url}`) ?? 0]));
  };
  compareAll(`${name} knows the peer`, await listed('peer', '/peers'), expected.peers);
  compareAll(`${name} knows the pod`, await listed('pod', '/storage'), expected.pods);
  const holding = sources.filter(({ components }) => components > 0);
  const statements = new Map(holding.map((one) => [sourceKey(one), one.components]));
  compareAll(`${name} holds statements of`, statements, expected.statements);
  const known = new Set([LOCAL.url, ...expected.peers.keys(), ...expected.pods.keys()]);
  const unknown = sources.find(({ url }) => !known.has(url));
  if (unknown) throw new Violation('memory', `${name} still remembers ${sourceKey(unknown)}`);
  // Each process serves what the first one serves.
  const first = await stateOf(node, processes[0]);
  for (const process of processes) {
    const state = await stateOf(node, process);
    if (state !== first) throw new Violation('answers', `${name} is at ${first} and at ${state}`);
    type Listed = { uri: string; label: string; source: Source };
    const served = await told<Listed[]>(node, '/component', process);
    const answers = served.map((one) => [one.uri, answerText(one.label, sourceKey(one.source))] as const);
    compareAll(`${name} serves`, new Map(answers), expected.answers);
  }
}

/** @throws Violation for the first that is there and should not be, is another one, or is missing */
function compareAll<T>(what: string, found: ReadonlyMap<string, T>, expected: ReadonlyMap<string, T>): void {
  for (const [key, value] of found)
    if (!expected.has(key)) throw new Violation('zombies', `${what} ${key} (${value})`);
  for (const [key, value] of expected) {
    if (!found.has(key)) throw new Violation('answers', `not so: ${what} ${key} (${value})`);
    if (found.get(key) !== value)
      throw new Violation('answers', `${what} ${key} (${found.get(key)}, not ${value})`);
  }
}

/** Tags of what a process answers, and its cursor: all that moves with a change, and with nothing else. */
export async function stateOf(node: SimulatedNode, process?: SimulatedProcess): Promise<string> {
  const asked = ['/component?limit=1', '/peers', '/feed?limit=1'].map((path) => node.ask(path, {}, process));
  const headers = (await Promise.all(asked)).map((answer) => answer?.headers);
  return headers.map((one) => one?.get('feed-cursor') ?? one?.get('etag')).join(' ');
}

/** What a node answers. @throws Violation when it does not */
async function told<T>(node: SimulatedNode, path: string, process?: SimulatedProcess): Promise<T> {
  const answer = await node.ask(path, {}, process);
  if (answer?.status !== 200)
    throw new Violation('answers', `${node.name} answers ${answer?.status} to ${path}`);
  return (await answer.json()) as T;
}
