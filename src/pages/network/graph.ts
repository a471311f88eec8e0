import type { ListedAddress } from '../../component/network-list.js';
import type { NetworkLists } from '../../core/network-lists.js';
import type { SourceStatus } from '../../explain/source-status.js';
import { counted } from '../../lib/counted.js';
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

/** Something outside of this node, before it is decided whether it gets a vertex of its own. */
interface Outside {
  readonly url: string;
  readonly kind: 'pod' | 'peer';
  /** How far it is from this node: 1 for what it was told to read. */
  readonly distance: number;
  /** The nodes that have made it known, the nearest first. */
  readonly via: readonly string[];
  readonly look: Look;
  readonly note: string;
  readonly isRead: boolean;
}

/** The network as this node sees it: pods, the nodes between them, itself. */
export function networkGraph(state: NetworkState): Graph {
  const outside = [...fromSources(state), ...(state.mode === 'mirror' ? knownToUpstreams(state) : [])];
  const self: Vertex = {
    label: hostOf(state.baseUrl),
    look: 'ok',
    isSelf: true,
    note: state.mode === 'mirror' ? 'this mirror' : 'this node',
  };
  const peers = outside.filter(({ kind }) => kind === 'peer');
  const distances = [...new Set(peers.map(({ distance }) => distance))].sort((one, other) => other - one);
  const groups = [
    outside.filter(({ kind }) => kind === 'pod'),
    ...distances.map((distance) => peers.filter((peer) => peer.distance === distance)),
  ].filter(({ length }) => length > 0);
  const placed = groups.map(verticesOf);
  const byUrl = new Map(placed.flatMap(({ byUrl: vertices }) => [...vertices]));
  return {
    columns: [...placed.map(({ vertices }) => vertices), [self]],
    edges: edgesOf(outside, byUrl, self),
  };
}

function fromSources({ sources }: NetworkState): Outside[] {
  return sources.flatMap((source) => {
    const { kind, url, hops, via, components } = source;
    if (kind !== 'pod' && kind !== 'peer') return [];
    const known = { url, kind, distance: hops + 1, via, look: lookOf(source), isRead: true };
    return [{ ...known, note: counted(components, 'component') }];
  });
}

/** What the upstreams of a mirror make known. The mirror does not read it, and tells of it in the words of the upstreams. */
function knownToUpstreams({ sources, lists }: NetworkState): Outside[] {
  const read = new Set(sources.map(({ url }) => url));
  const upstreams = sources.filter(({ kind }) => kind === 'peer').map(({ url }) => url);
  const known = (kind: 'pod' | 'peer') => (entry: ListedAddress) => {
    if (read.has(entry.url)) return [];
    // What several upstreams list cannot be told apart: it is drawn from the first one.
    const via = [...upstreams.slice(0, 1), ...entry.via];
    return [
      {
        url: entry.url,
        kind,
        distance: entry.hops + 2,
        via,
        look: 'known',
        note: '',
        isRead: false,
      } as const,
    ];
  };
  return [...lists.storage.flatMap(known('pod')), ...lists.peers.flatMap(known('peer'))];
}

/** The vertices of a column: those that need most attention, and one for all others if there are many. */
function verticesOf(group: readonly Outside[]): { vertices: Vertex[]; byUrl: Map<string, Vertex> } {
  const attention = ({ look }: Outside) => LOOKS.indexOf(look);
  const sorted = group.toSorted((one, other) => attention(other) - attention(one));
  const own = sorted.length > ROOM ? sorted.slice(0, ROOM - 1) : sorted;
  const others = sorted.slice(own.length);
  const byUrl = new Map<string, Vertex>();
  const vertices = own.map((one) => {
    const vertex = { label: hostOf(one.url), note: one.note, look: one.look };
    byUrl.set(one.url, vertex);
    return vertex;
  });
  const [first] = others;
  if (first) {
    const rest = {
      label: `${others.length.toLocaleString('en')} more ${first.kind}s`,
      note: '',
      look: first.look,
    };
    vertices.push(rest);
    for (const { url } of others) byUrl.set(url, rest);
  }
  return { vertices, byUrl };
}

function edgesOf(outside: readonly Outside[], byUrl: ReadonlyMap<string, Vertex>, self: Vertex): Edge[] {
  const edges = new Map<string, Edge>();
  const names = new Map([...new Set([...byUrl.values(), self])].map((vertex, i) => [vertex, i]));
  const add = (edge: Edge) => edges.set(`${names.get(edge.from)} ${names.get(edge.to)} ${edge.what}`, edge);
  for (const { url, via, isRead } of outside) {
    const from = byUrl.get(url);
    const introducer = byUrl.get(via.at(-1) ?? '');
    if (!from) continue;
    if (introducer && introducer !== from) add({ from, to: introducer, what: 'knows' });
    if (isRead) add({ from, to: self, what: 'reads' });
  }
  return [...edges.values()];
}
