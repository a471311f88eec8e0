import { html } from 'hono/html';
import { counted } from '../../lib/counted.js';
import type { Markup } from '../shell/page.js';
import { icon, LOOKS, meaningOf, shapeOf } from '../shell/source-look.js';
import { type Edge, type Graph, type NetworkState, networkGraph, type Vertex } from './graph.js';

/** Where a vertex is drawn. */
interface Point {
  readonly x: number;
  readonly y: number;
}

/** A drawing of the network: in columns where there is room, in rows with arcs beside them on narrow screens. */
interface Drawing {
  readonly name: 'wide' | 'narrow';
  readonly width: number;
  readonly height: number;
  readonly points: ReadonlyMap<Vertex, Point>;
  readonly path: (edge: Edge) => string;
  /** Characters of a label, and where it stands beside its vertex. */
  readonly label: {
    readonly length: number;
    readonly x: number;
    readonly y: number;
    readonly anchor: 'middle' | 'start';
  };
}

/** The network as a picture, with the same in words for those who do not see it. */
export function picture(state: NetworkState): Markup {
  const graph = networkGraph(state);
  if (graph.columns.length < 2) return html`<div id="picture" data-live></div>`;
  const words = inWords(state);
  const present = LOOKS.filter((look) =>
    graph.columns.flat().some((vertex) => !vertex.isSelf && vertex.look === look),
  );
  return html`<div id="picture" data-live><figure class="picture">
${drawn(inColumns(graph), graph, words)}${drawn(inRows(graph), graph, words)}
<figcaption><ul class="legend">${present.map((look) => html`<li>${icon(look)} ${meaningOf(look)}</li>`)}</ul></figcaption>
</figure></div>`;
}

/** What the picture shows, for screen readers. The table below it has every source. */
function inWords({ sources, mode, lists }: NetworkState): string {
  const outside = sources.filter(({ kind }) => kind !== 'local');
  const of = (kind: string) => outside.filter((source) => source.kind === kind).length;
  const failing = outside.filter(({ state }) => state === 'failing').length;
  const read = [counted(of('pod'), 'pod'), counted(of('peer'), 'node')].join(' and ');
  const known =
    mode === 'mirror'
      ? ` Through them it knows ${counted(lists.storage.length, 'pod')} and ${counted(lists.peers.length, 'node')}.`
      : '';
  return `This ${mode === 'mirror' ? 'mirror' : 'node'} reads ${read}; ${outside.length === 0 ? 'there is nothing else to read' : failing === 0 ? 'all of them answer' : failing === outside.length ? 'none of them answers' : `${failing} of them ${failing === 1 ? 'fails' : 'fail'}`}.${known} The table below says the same of each.`;
}

function drawn(drawing: Drawing, { columns, edges }: Graph, words: string): Markup {
  const { name, width, height, points, path } = drawing;
  const lines = edges.map(
    (edge) => html`<path class="edge ${edge.what} ${edge.from.look}" d="${path(edge)}"/>`,
  );
  const vertices = columns
    .flat()
    .map((vertex) => drawnVertex(vertex, points.get(vertex) ?? { x: 0, y: 0 }, drawing));
  return html`<svg class="${name}" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="${name}-title ${name}-words">
<title id="${name}-title">The network, from the pods to this node</title><desc id="${name}-words">${words}</desc>
${lines}${vertices}</svg>`;
}

function drawnVertex({ label, note, look, isSelf }: Vertex, { x, y }: Point, drawing: Drawing): Markup {
  const { length, x: dx, y: dy, anchor } = drawing.label;
  const size = isSelf ? 22 : 16;
  const shape = html`<svg class="look ${isSelf ? 'self' : look}" x="${x - size / 2}" y="${y - size / 2}" width="${size}" height="${size}" viewBox="0 0 16 16"><path d="${shapeOf(isSelf ? 'ok' : look)}"/></svg>`;
  return html`<g>${shape}<text x="${x + dx}" y="${y + dy}" text-anchor="${anchor}">${shortened(label, length)}</text>
${note === '' ? '' : html`<text class="note" x="${x + dx}" y="${y + dy + 15}" text-anchor="${anchor}">${note}</text>`}</g>`;
}

/** A text without its middle, where it is too long. */
function shortened(text: string, length: number): string {
  const half = Math.floor((length - 1) / 2);
  return text.length <= length ? text : `${text.slice(0, half)}…${text.slice(-half)}`;
}

function inColumns({ columns, edges }: Graph): Drawing {
  const [width, row] = [1040, 66];
  const columnOf = new Map(
    columns.flatMap((column, i) => column.map((vertex): [Vertex, number] => [vertex, i])),
  );
  // An edge that passes columns by rises above their vertices.
  const lift = ({ from, to }: Edge) => {
    const passed = (columnOf.get(to) ?? 0) - (columnOf.get(from) ?? 0) - 1;
    return passed > 0 ? 26 + 14 * passed : 0;
  };
  const above = Math.max(...edges.map(lift), 0);
  const most = Math.max(...columns.map(({ length }) => length));
  const step = width / columns.length;
  const points = new Map(
    columns.flatMap((column, i) =>
      column.map((vertex, j): [Vertex, Point] => [
        vertex,
        {
          x: Math.round((i + 0.5) * step),
          y: Math.round(above + 16 + (j + (most - column.length) / 2) * row),
        },
      ]),
    ),
  );
  const path = (edge: Edge) => {
    const [a, b] = [points.get(edge.from), points.get(edge.to)];
    if (!a || !b) return '';
    const [bend, up] = [Math.round((b.x - a.x) / 2), Math.round(lift(edge) * 1.3)];
    return `M${a.x} ${a.y}C${a.x + bend} ${a.y - up} ${b.x - bend} ${b.y - up} ${b.x} ${b.y}`;
  };
  const label = { length: Math.floor(step / 8), x: 0, y: 24, anchor: 'middle' } as const;
  return { name: 'wide', width, height: above + most * row + 4, points, path, label };
}

function inRows({ columns }: Graph): Drawing {
  const [width, row, left] = [360, 42, 66];
  const all = columns.flat();
  const points = new Map(all.map((vertex, i): [Vertex, Point] => [vertex, { x: left, y: (i + 0.5) * row }]));
  const path = ({ from, to }: Edge) => {
    const [a, b] = [points.get(from), points.get(to)];
    if (!a || !b) return '';
    const reach = Math.max(0, left - 14 - Math.abs(b.y - a.y) / 4);
    return `M${a.x} ${a.y}C${Math.round(reach)} ${a.y} ${Math.round(reach)} ${b.y} ${b.x} ${b.y}`;
  };
  const label = { length: 34, x: 16, y: 1, anchor: 'start' } as const;
  return { name: 'narrow', width, height: all.length * row, points, path, label };
}
