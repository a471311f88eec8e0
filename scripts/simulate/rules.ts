/** What holds in every network, whatever happens in it, and what watches over that. */
import { LOCAL, type Source, sourceKey } from '../../src/component/source.js';
import { type Expectation, expectationOf, knownNetwork } from './expectation.js';
import type { Reading, Said } from './keep.js';
import type { Observer, Traffic } from './network.js';
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
/** What a virtual network gives out for the internet: a rule of its own, so that a fault in that of the nodes shows. */
const PUBLIC = /^4[5-7]\.1\.\d{1,3}\.\d{1,3}$/;

/** Watches the wires, and what nodes commit while things go wrong. */
export class Watchman implements Observer {
  /** Is nothing supposed to happen at present? */
  isIdle = false;
  readonly #world: World;
  /** By node and source: when the poll began that was stored last, in virtual ms. */
  readonly #latest = new Map<string, number>();
  /** Polls that found a peer to contradict its digests, so that it is read anew, by node, source and time. */
  readonly #repairs = new Set<string>();
  #found: Violation | undefined;

  constructor(world: World) {
    this.#world = world;
  }

  /** @param faults so many have begun; @throws Violation when there was one */
  check(faults: number): void {
    const { size } = this.#repairs;
    if (size > REPAIRS.calm + REPAIRS.fault * this.#world.nodes.length * faults)
      this.#note('repairs', `peers were read anew ${size} times after ${faults} faults`);
    if (this.#found) throw this.#found;
  }

  dialled(from: string, host: string, address: string): void {
    const configured = this.#world.truth.operators.get(`https://${from}`)?.pods ?? [];
    if (PUBLIC.test(address) || configured.some((url) => new URL(url).host === host)) return;
    this.#note('private', `${from} opens a connection to ${host} at ${address}`);
  }

  exchanged({ from, to, target, status, bodyBytes }: Traffic): void {
    if (!this.isIdle || status !== 200 || bodyBytes === 0) return;
    // Containers of pods are always sent whole.
    if (this.#world.pods.some(({ name }) => name === to) && target.endsWith('/')) return;
    this.#note('idle', `${from} gets ${bodyBytes} bytes of ${to}${target}`);
  }

  /** A node has stored what it has read. */
  committed(node: string, { source, record, put, dropped, begun }: Reading): void {
    const key = `${node} ${sourceKey(source)}`;
    if (record.disagrees) this.#repairs.add(`${key} ${record.lastAttempt}`);
    if (begun !== undefined && put.length + dropped.length > 0) {
      if (begun < (this.#latest.get(key) ?? 0))
        this.#note('order', `${node} stores an older reading of ${source.url} over a later one`);
      this.#latest.set(key, begun);
    }
    const lost = dropped.filter((one) => this.#isSaid(one));
    const [first] = lost;
    if (!first || this.#isBelieved(source, lost.length)) return;
    this.#note('kept', `${node} drops ${first.uri} of ${first.document}, which ${source.url} still says`);
  }

  /** Has a source said it all the time since a poll can have begun? Of what a peer has read elsewhere, nothing is asked. */
  #isSaid({ source: { kind, url }, document, uri }: Said): boolean {
    const { truth, time } = this.#world;
    const since = time.elapsed - LONGEST_POLL;
    if (kind === 'pod') return truth.isSaid(url, document, uri, since);
    return document.endsWith(`:${encodeURIComponent(LOCAL.url)}`) && truth.isSaid(url, uri, uri, since);
  }

  /** A pod that says that it holds nothing is believed where that is little. */
  #isBelieved({ url }: Source, lost: number): boolean {
    const { truth, time } = this.#world;
    if (!truth.wasSilent(url, time.elapsed - LONGEST_POLL)) return false;
    return lost <= HELD.components || lost <= truth.saidBy(url).size * HELD.part;
  }

  #note(rule: Rule, message: string): void {
    this.#found ??= new Violation(rule, message);
  }
}

/** Compares all nodes with what is expected of them: the first deviation, in the order of the nodes. */
export async function firstDeviation({ nodes, truth, depth }: World): Promise<Violation | undefined> {
  const known = new Map(nodes.map(({ url }) => [url, knownNetwork(url, truth, depth)]));
  const knownTo = (url: string) => known.get(url) ?? { peers: new Map(), pods: new Map() };
  try {
    for (const node of nodes) await compare(node, expectationOf(node.url, truth, knownTo));
    return undefined;
  } catch (deviation) {
    if (deviation instanceof Violation) return deviation;
    throw deviation;
  }
}

/** What `/status` says of a source, as far as rules ask for it. */
type StatusOfSource = Source & { readonly hops: number; readonly components: number };

/** @throws Violation */
async function compare(node: SimulatedNode, expected: Expectation): Promise<void> {
  const { name } = node;
  if (!node.isRunning) throw new Violation('answers', `${name} does not run`);
  const { sources } = await told<{ sources: StatusOfSource[] }>(node, '/status');
  const status = new Map(sources.map((one) => [sourceKey(one), one]));
  const lists = [
    ['peer', '/peers', expected.known.peers],
    ['pod', '/storage', expected.known.pods],
  ] as const;
  for (const [kind, path, distances] of lists) {
    const listed = await told<string[]>(node, path);
    const missing = [...distances.keys()].find((url) => !listed.includes(url));
    if (missing) throw new Violation('answers', `${name} does not know the ${kind} ${missing}`);
    for (const url of listed) {
      const [distance, { hops } = { hops: 0 }] = [distances.get(url), status.get(`${kind} ${url}`)];
      if (distance === undefined) throw new Violation('zombies', `${name} lists the ${kind} ${url}`);
      if (distance !== hops)
        throw new Violation('answers', `${name} lists ${url} at ${hops} hops, not ${distance}`);
    }
  }
  compareStatements(name, status, expected);
  for (const process of node.processes) await compareAnswers(node, process, expected);
}

/** What is stored beside what is served, which listings do not show. */
function compareStatements(
  name: string,
  status: ReadonlyMap<string, StatusOfSource>,
  { known, statements }: Expectation,
): void {
  for (const [key, { kind, url, components }] of status) {
    const expected = statements.get(key) ?? 0;
    if (components !== expected) {
      const rule = components > expected ? 'zombies' : 'answers';
      throw new Violation(rule, `${name} holds ${components} statements of ${key}, not ${expected}`);
    }
    const isKnown = kind === 'local' || known.peers.has(url) || known.pods.has(url);
    if (!isKnown) throw new Violation('memory', `${name} still remembers ${key}`);
  }
  const missing = [...statements.keys()].find((key) => !status.has(key));
  if (missing) throw new Violation('answers', `${name} holds nothing of ${missing}`);
}

/** What one of its processes serves, which has to be what the first one serves. */
async function compareAnswers(node: SimulatedNode, process: SimulatedProcess, { answers }: Expectation) {
  const { name, processes } = node;
  const [state, first] = [await stateOf(node, process), await stateOf(node, processes[0])];
  if (state !== first) throw new Violation('answers', `${name} is at ${first} and at ${state}`);
  const seen = new Set<string>();
  const listed = await told<{ uri: string; label: string; source: Source }[]>(node, '/component', process);
  for (const { uri, label, source } of listed) {
    seen.add(uri);
    const expected = answers.get(uri);
    const said = `"${label}" of ${sourceKey(source)}`;
    if (!expected) throw new Violation('zombies', `${name} serves ${uri}: ${said}`);
    const right = `"${expected.label}" of ${expected.source}`;
    if (said !== right) throw new Violation('answers', `${name} serves ${uri} as ${said}, not as ${right}`);
  }
  const missing = [...answers.keys()].find((uri) => !seen.has(uri));
  if (missing) throw new Violation('answers', `${name} does not serve ${missing}`);
}

/** Tags of what a process answers, and its cursor: all that moves with a change, and with nothing else. */
export async function stateOf(node: SimulatedNode, process?: SimulatedProcess): Promise<string> {
  const asked = await Promise.all(
    ['/component?limit=1', '/peers'].map((path) => node.ask(path, {}, process)),
  );
  const feed = await node.ask('/feed?limit=1', {}, process);
  return [...asked.map((answer) => answer?.headers.get('etag')), feed?.headers.get('feed-cursor')].join(' ');
}

/** What a node answers. @throws Violation when it does not */
async function told<T>(node: SimulatedNode, path: string, process?: SimulatedProcess): Promise<T> {
  const answer = await node.ask(path, {}, process);
  if (answer?.status !== 200)
    throw new Violation('answers', `${node.name} answers ${answer?.status} to ${path}`);
  return (await answer.json()) as T;
}
