import type { SourceStatus } from '../../explain/source-status.js';
import { counted } from '../../lib/counted.js';
import { grouped } from '../../lib/grouped.js';
import { hostOf, type Markup } from '../shell/fragments.js';
import { icon, LOOK, LOOKS, type Look, lookOf } from '../shell/source-look.js';
import type { NetworkView } from './state.js';

/** A point of the picture: a pod or a node, several that have no room of their own, or this node itself. */
interface Vertex {
  readonly label: string;
  /** A few words more. */
  readonly note: string;
  readonly look: Look;
  /** None of this node itself. */
  readonly sources: readonly SourceStatus[];
}

/** What flows from one vertex to another (`reads`), or who has made the first one known (`knows`). */
interface Edge {
  readonly from: Vertex;
  readonly to: Vertex;
  readonly what: 'reads' | 'knows';
}

/** Vertices that a column has room for. */
const ROOM = 7;

/** The network as this node sees it, in columns: pods, nodes, the farthest first, at last itself. */
export function networkGraph(sources: readonly SourceStatus[], baseUrl: string) {
  const outside = sources.filter(({ kind }) => kind === 'pod' || kind === 'peer');
  const byColumn = grouped(outside, ({ kind, hops }) => (kind === 'pod' ? Number.MAX_VALUE : hops));
  const columns = [...byColumn].sort(([one], [other]) => other - one).map(([, some]) => verticesOf(some));
  const self: Vertex = { label: hostOf(baseUrl), note: 'this node', look: 'ok', sources: [] };
  const vertices = columns.flat();
  const byUrl = new Map(
    vertices.flatMap((vertex) => vertex.sources.map(({ url }) => [url, vertex] as const)),
  );
  const edges = vertices.flatMap((from): Edge[] => {
    const introducers = new Set(from.sources.flatMap(({ via }) => byUrl.get(via.at(-1) ?? '') ?? []));
    introducers.delete(from);
    const known = [...introducers].map((to): Edge => ({ from, to, what: 'knows' }));
    return [...known, { from, to: self, what: 'reads' }];
  });
  return { columns: [...columns, [self]], edges };
}

/** A column: the sources that need most attention, and one vertex for all others if there are many. */
function verticesOf(sources: readonly SourceStatus[]): Vertex[] {
  const attention = (one: SourceStatus) => LOOKS.indexOf(lookOf(one));
  const sorted = sources.toSorted((one, other) => attention(other) - attention(one));
  const named = sorted.slice(0, sorted.length > ROOM ? ROOM - 1 : ROOM);
  const vertices = named.map((one): Vertex => {
    const note = counted(one.components, 'component');
    return { label: hostOf(one.url), note, look: lookOf(one), sources: [one] };
  });
  const others = sorted.slice(named.length);
  if (!others[0]) return vertices;
  const label = `${others.length.toLocaleString('en')} more ${others[0].kind}s`;
  return [...vertices, { label, note: '', look: lookOf(others[0]), sources: others }];
}

/** The network as a picture; nothing of a node alone. */
export function Picture({ sources, node }: NetworkView): Markup | null {
  const graph = networkGraph(sources, node.baseUrl);
  const { width, height, places, pathOf } = layout(graph);
  if (places.size < 2) return null;
  const outside = [...places.keys()].filter((one) => one.sources.length > 0);
  const legend = LOOKS.filter((look) => outside.some((one) => one.look === look)).map((look) => (
    <li>{[icon(look), ' ', LOOK[look].meaning]}</li>
  ));
  const length = width / graph.columns.length / 8;
  const vertex = ({ label, note, look, sources: { length: isSource } }: Vertex, { x, y }: Place) => (
    <g transform={`translate(${x} ${y})`}>
      <path class={`look ${isSource ? look : 'self'}`} d={LOOK[look].shape} transform="translate(-8 -8)" />
      <text y={24}>{shortened(label, length)}</text>
      <text {...{ class: 'note', y: 39 }}>{note}</text>
    </g>
  );
  return (
    <figure class="picture">
      <section class="scroll" tabindex={0} aria-label="Picture of the network">
        <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-labelledby="picture-title picture-words">
          <title id="picture-title">The network, from the pods to this node</title>
          <desc id="picture-words">The list below says the same of each source in words.</desc>
          {graph.edges.map((edge) => (
            <path class={`edge ${edge.what} ${edge.from.look}`} d={pathOf(edge)} />
          ))}
          {[...places].map(([one, place]) => vertex(one, place))}
        </svg>
      </section>
      <figcaption>
        <ul class="legend">{legend}</ul>
      </figcaption>
    </figure>
  );
}

/** A text without its middle, where it is too long. */
function shortened(text: string, length: number): string {
  const half = Math.floor((length - 1) / 2);
  return text.length <= length ? text : `${text.slice(0, half)}…${text.slice(-half)}`;
}

/** The width of the drawing, and the height of a row, in units of the drawing. */
const [WIDTH, ROW] = [1040, 66];
/** How far an edge rises above the vertices of the columns that it passes by. */
const lift = (columns: number) => (columns > 0 ? 26 + 14 * columns : 0);

interface Place {
  readonly column: number;
  readonly x: number;
  readonly y: number;
}

/** Where each vertex stands, and how edges run between them: from left to right, in columns of equal width. */
function layout({ columns }: ReturnType<typeof networkGraph>) {
  const above = lift(columns.length - 2);
  const most = Math.max(...columns.map(({ length }) => length));
  const place = (column: number, row: number, rows: number): Place => ({
    column,
    x: Math.round((column + 0.5) * (WIDTH / columns.length)),
    y: Math.round(above + 16 + (row + (most - rows) / 2) * ROW),
  });
  const places = new Map(
    columns.flatMap((column, i) => column.map((vertex, j) => [vertex, place(i, j, column.length)] as const)),
  );
  const pathOf = ({ from, to }: Edge) => {
    const [a, b] = [places.get(from), places.get(to)];
    if (!a || !b) return '';
    const [bend, up] = [Math.round((b.x - a.x) / 2), Math.round(lift(b.column - a.column - 1) * 1.3)];
    return `M${a.x} ${a.y}C${a.x + bend} ${a.y - up} ${b.x - bend} ${b.y - up} ${b.x} ${b.y}`;
  };
  return { width: WIDTH, height: above + most * ROW + 4, places, pathOf };
}
