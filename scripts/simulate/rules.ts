/** What holds in every network, whatever happens in it, and what watches over that. */
import { LOCAL, type Source, sourceKey } from '../../src/component/source.js';
import { type Expectation, expectationOf, knownNetwork } from './expectation.js';
import type { Reading, Said, Stored } from './keep.js';
import type { NetworkObserver, Traffic } from './network.js';
import type { SimulatedNode, SimulatedProcess } from './node.js';
import { MINUTE } from './time.js';
import type { World, WorldObserver } from './world.js';

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

  /** @param elapsed ms since the simulation began */
  constructor(
    readonly rule: Rule,
    readonly elapsed: number,
    message: string,
  ) {
    super(message);
  }
}

/** A poll may have read something so long before it is committed, in ms. */
const LONGEST_POLL = 30 * MINUTE;
/** A peer may change while it is read: so many repairs are nobody's fault, and so many more for each fault, by node. */
const REPAIRS = { calm: 4, fault: 3 };
/** So many removals, of so much of what a source has said, are not believed at once. */
const HELD = { components: 20, part: 0.5 };
/** What a virtual network gives out for the internet: a rule of its own, so that a fault in that of the nodes shows. */
const PUBLIC = /^4[5-7]\.1\.\d{1,3}\.\d{1,3}$/;

/** Watches the wires, and what nodes commit while things go wrong. */
export class Watchman implements NetworkObserver, WorldObserver {
  /** Is nothing supposed to happen at present? */
  isIdle = false;
  readonly #world: () => World;
  /** Faults that have begun. */
  readonly #faults: () => number;
  #found: Violation | undefined;
  #repairs = 0;

  constructor(world: () => World, faults: () => number) {
    this.#world = world;
    this.#faults = faults;
  }

  /** Sources of peers, and whole peers, that were read anew since the beginning. */
  get repairs(): number {
    return this.#repairs;
  }

  /** @throws Violation when there was one */
  check(): void {
    const { nodes } = this.#world();
    const most = REPAIRS.calm + REPAIRS.fault * nodes.length * this.#faults();
    if (this.#repairs > most)
      this.#note('repairs', `${this.#repairs} repairs after ${this.#faults()} faults`);
    if (this.#found) throw this.#found;
  }

  dialled(from: string, host: string, address: string): void {
    const configured = this.#world().truth.operators.get(`https://${from}`)?.pods ?? [];
    if (PUBLIC.test(address) || configured.some((url) => new URL(url).host === host)) return;
    this.#note('private', `${from} opens a connection to ${host} at ${address}`);
  }

  exchanged({ from, to, target, status, bodyBytes }: Traffic): void {
    if (!this.isIdle || status !== 200 || bodyBytes === 0) return;
    // Containers of pods are always sent whole.
    if (this.#world().pods.some(({ name }) => name === to) && target.endsWith('/')) return;
    this.#note('idle', `${from} gets ${bodyBytes} bytes of ${to}${target}`);
  }

  committed(node: string, { source, dropped, held, isRepair }: Reading): void {
    if (isRepair) this.#repairs += 1;
    const lost = dropped.filter((one) => this.#isSaid(one));
    const [first] = lost;
    if (!first || this.#isBelieved(source, held, lost.length)) return;
    this.#note('kept', `${node} drops ${first.uri} of ${first.document}, which ${source.url} still says`);
  }

  overtaken(node: string, source: string): void {
    this.#note('order', `${node} stores an older reading of ${source} over a later one`);
  }

  /** Has a source said it all the time since a poll can have begun? Of what a peer has read elsewhere, nothing is asked. */
  #isSaid({ source: { kind, url }, document, uri }: Said): boolean {
    const { truth, time } = this.#world();
    const since = time.elapsed - LONGEST_POLL;
    if (kind === 'pod') return truth.isSaid(url, document, uri, since);
    return document.endsWith(`:${encodeURIComponent(LOCAL.url)}`) && truth.isPosted(url, uri, since);
  }

  /** A pod that says that it holds nothing is believed where that is little. */
  #isBelieved(source: Source, held: number, lost: number): boolean {
    const { truth, time } = this.#world();
    if (!truth.wasSilent(source.url, time.elapsed - LONGEST_POLL)) return false;
    return !(lost > HELD.components && held - lost < held * HELD.part);
  }

  #note(rule: Rule, message: string): void {
    this.#found ??= new Violation(rule, this.#world().time.elapsed, message);
  }
}

/** How a node differs from what is expected of it. */
export interface Deviation {
  readonly rule: Rule;
  readonly message: string;
}

const wrong = (rule: Rule, message: string): Deviation => ({ rule, message });

/** Compares all nodes with what is expected of them: the first deviation, in the order of the nodes. */
export async function firstDeviation({ nodes, truth, depth }: World): Promise<Deviation | undefined> {
  const known = new Map(nodes.map(({ url }) => [url, knownNetwork(url, truth, depth)]));
  const knownTo = (url: string) => known.get(url) ?? { peers: new Map(), pods: new Map() };
  for (const node of nodes) {
    if (!node.isRunning) return wrong('answers', `${node.name} does not run`);
    const expected = expectationOf(node.url, truth, knownTo);
    const stored = await node.storage.stored();
    const deviation = wrongLists(node.name, stored, expected) ?? wrongStatements(node.name, stored, expected);
    if (deviation) return deviation;
    for (const process of node.processes) {
      const told = (await wrongAnswers(node, process, expected)) ?? (await wrongState(node, process));
      if (told) return told;
    }
  }
  return undefined;
}

function wrongLists(name: string, { network }: Stored, { known }: Expectation): Deviation | undefined {
  const lists = [
    ['peer', network.peers, known.peers],
    ['pod', network.storage, known.pods],
  ] as const;
  for (const [kind, listed, distances] of lists) {
    const list = new Map(listed.map(({ url, hops }) => [url, hops]));
    const missing = [...distances.keys()].find((url) => !list.has(url));
    if (missing) return wrong('answers', `${name} does not know the ${kind} ${missing}`);
    for (const [url, hops] of list) {
      const distance = distances.get(url);
      if (distance === undefined) return wrong('zombies', `${name} lists the ${kind} ${url}`);
      if (distance !== hops) return wrong('answers', `${name} lists ${url} at ${hops} hops, not ${distance}`);
    }
  }
  return undefined;
}

/** What is stored beside what is served, which answers do not show. */
function wrongStatements(name: string, stored: Stored, { known, statements }: Expectation) {
  for (const [key, { source }] of stored.sources) {
    if (source.kind === 'sample') continue;
    const held = stored.said.get(key)?.length ?? 0;
    const expected = statements.get(key) ?? 0;
    if (held !== expected) {
      const rule = held > expected ? 'zombies' : 'answers';
      return wrong(rule, `${name} holds ${held} statements of ${key}, not ${expected}`);
    }
    const isKnown = source.kind === 'local' || known.peers.has(source.url) || known.pods.has(source.url);
    if (!isKnown) return wrong('memory', `${name} still remembers ${key}`);
  }
  const missing = [...statements.keys()].find((key) => !stored.sources.has(key));
  return missing ? wrong('answers', `${name} holds nothing of ${missing}`) : undefined;
}

/** What a process tells of where it stands, against what is stored. */
async function wrongState(node: SimulatedNode, process: SimulatedProcess): Promise<Deviation | undefined> {
  const { states, head } = await node.storage.stored();
  const last = states.at(-1);
  if (!last) return undefined;
  const until = `${head.epoch}.${last.replace(' ', '.')}`;
  const told = await node.told(process);
  return told === until ? undefined : wrong('answers', `${node.name} is at ${until}, and says ${told}`);
}

async function wrongAnswers(node: SimulatedNode, process: SimulatedProcess, { answers }: Expectation) {
  const { name } = node;
  const answer = await node.ask('/component', {}, process);
  if (answer?.status !== 200) return wrong('answers', `${name} answers ${answer?.status}`);
  const seen = new Set<string>();
  for (const { uri, label, source } of (await answer.json()) as {
    uri: string;
    label: string;
    source: Source;
  }[]) {
    seen.add(uri);
    const expected = answers.get(uri);
    const said = `"${label}" of ${sourceKey(source)}`;
    if (!expected) return wrong('zombies', `${name} serves ${uri}: ${said}`);
    const right = `"${expected.label}" of ${expected.source}`;
    if (said !== right) return wrong('answers', `${name} serves ${uri} as ${said}, not as ${right}`);
  }
  const missing = [...answers.keys()].find((uri) => !seen.has(uri));
  return missing ? wrong('answers', `${name} does not serve ${missing}`) : undefined;
}
