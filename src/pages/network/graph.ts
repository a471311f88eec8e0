import type { NetworkLists } from '../../core/network-lists.js';
import type { SourceStatus } from '../../explain/source-status.js';
import { counted } from '../../lib/counted.js';
import { grouped } from '../../lib/grouped.js';
import { hostOf } from '../shell/page.js';
import { LOOKS, type Look, lookOf } from '../shell/source-look.js';

/** A point in the picture of the network: a pod, a node, or several of them that have no room of their own. */
export interface Vertex {
  readonly label: string;
  /** A few words more. */
  readonly note: string;
  readonly look: Look;
  readonly isSelf?: true;
}

/** What flows, or is known, from one vertex to another. */
export interface Edge {
  readonly from: Vertex;
  readonly to: Vertex;
  /** `reads`: the second polls the first; `knows`: it has made it known. */
  readonly what: 'reads' | 'knows';
}

export interface Graph {
  /** From the pods to this node, the farthest first. */
  readonly columns: readonly (readonly Vertex[])[];
  readonly edges: readonly Edge[];
}

export interface NetworkState {
  readonly baseUrl: string;
  readonly mode: string;
  readonly sources: readonly SourceStatus[];
  readonly lists: NetworkLists;
}

/** Vertices that a column has room for. */
const ROOM = 7;

/** A pod or a node, before it is decided whether it gets a vertex of its own. */
interface Outside {
  readonly url: string;
  readonly kind: 'pod' | 'peer';
  /** How far it is from this node: 1 for what it was told to read. */
  readonly distance: number;
  /** The node that has made it known; none for what is configured here. */
  readonly introducer: string | undefined;
  readonly look: Look;
  readonly note: string;
  readonly isRead: boolean;
}

/** The network as this node sees it: pods, the nodes between them, itself. */
export function networkGraph(state: NetworkState): Graph {
  const { baseUrl, mode, sources } = state;
  const outside = [...sources.flatMap(readHere), ...(mode === 'mirror' ? knownToUpstreams(state) : [])];
  const note = mode === 'mirror' ? 'this mirror' : 'this node';
  const self: Vertex = { label: hostOf(baseUrl), look: 'ok', isSelf: true, note };
  const byColumn = grouped(outside, ({ kind, distance }) => (kind === 'pod' ? 0 : distance));
  const farthestFirst = [...byColumn].sort(([one], [other]) =>
    one === 0 ? -1 : other === 0 ? 1 : other - one,
  );
  const byUrl = new Map<string, Vertex>();
  const columns = farthestFirst.map(([, group]) => column(group, byUrl));
  return { columns: [...columns, [self]], edges: edgesOf(outside, byUrl, self) };
}

function readHere(source: SourceStatus): Outside[] {
  const { kind, url, hops, via, components } = source;
  if (kind !== 'pod' && kind !== 'peer') return [];
  const note = counted(components, 'component');
  const known = { url, kind, distance: hops + 1, introducer: via.at(-1) };
  return [{ ...known, look: lookOf(source), note, isRead: true }];
}

/** What the upstreams of a mirror make known. The mirror does not read it, and tells of it in the words of the upstreams. */
function knownToUpstreams({ sources, lists }: NetworkState): Outside[] {
  const read = new Set(sources.map(({ url }) => url));
  // What several upstreams list cannot be told apart: it is drawn from the first one.
  const upstream = sources.find(({ kind }) => kind === 'peer')?.url;
  const entries = [
    ...lists.storage.map((entry) => ({ ...entry, kind: 'pod' as const })),
    ...lists.peers.map((entry) => ({ ...entry, kind: 'peer' as const })),
  ];
  return entries
    .filter(({ url }) => !read.has(url))
    .map(({ url, kind, hops, via }) => {
      const known = { url, kind, distance: hops + 2, introducer: via.at(-1) ?? upstream };
      return { ...known, look: 'known', note: '', isRead: false };
    });
}

/** The vertices of a column: those that need most attention, and one for all others if there are many. */
function column(group: readonly [Outside, ...Outside[]], byUrl: Map<string, Vertex>): Vertex[] {
  const sorted = group.toSorted((one, other) => LOOKS.indexOf(other.look) - LOOKS.indexOf(one.look));
  const named = sorted.length > ROOM ? sorted.slice(0, ROOM - 1) : sorted;
  const others = sorted.slice(named.length);
  const vertices: Vertex[] = named.map(({ url, note, look }) => ({ label: hostOf(url), note, look }));
  const [first] = others;
  if (first) {
    const label = `${others.length.toLocaleString('en')} more ${first.kind}s`;
    vertices.push({ label, note: '', look: first.look });
  }
  for (const [i, { url }] of sorted.entries()) {
    const vertex = vertices[Math.min(i, vertices.length - 1)];
    if (vertex) byUrl.set(url, vertex);
  }
  return vertices;
}

/** One of each kind between two vertices, however many pods or nodes they stand for. */
function edgesOf(outside: readonly Outside[], byUrl: ReadonlyMap<string, Vertex>, self: Vertex): Edge[] {
  const edges: Edge[] = [];
  const add = (from: Vertex, to: Vertex, what: Edge['what']) => {
    if (from === to || edges.some((one) => one.from === from && one.to === to && one.what === what)) return;
    edges.push({ from, to, what });
  };
  for (const { url, introducer = '', isRead } of outside) {
    const [from, knowing] = [byUrl.get(url), byUrl.get(introducer)];
    if (from && knowing) add(from, knowing, 'knows');
    if (from && isRead) add(from, self, 'reads');
  }
  return edges;
}
