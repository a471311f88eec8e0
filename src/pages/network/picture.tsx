import { counted } from '../../lib/counted.js';
import type { Markup } from '../shell/page.js';
import { icon, LOOKS, meaningOf, shapeOf } from '../shell/source-look.js';
import { type Edge, type Graph, type NetworkState, networkGraph, type Vertex } from './graph.js';

/** The network as a picture, with the same in words for those who do not see it; nothing of a node alone. */
export function Picture({ state }: { readonly state: NetworkState }): Markup | null {
  const graph = networkGraph(state);
  const vertices = graph.columns.flat();
  if (vertices.length < 2) return null;
  const { width, height, labelLength, places, pathOf } = layout(graph);
  const present = LOOKS.filter((look) => vertices.some((one) => !one.isSelf && one.look === look));
  return (
    <figure class="picture">
      <section class="scroll" tabindex={0} aria-label="Picture of the network">
        <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-labelledby="picture-title picture-words">
          <title id="picture-title">The network, from the pods to this node</title>
          <desc id="picture-words">{inWords(state)}</desc>
          {graph.edges.map((edge) => (
            <path class={`edge ${edge.what} ${edge.from.look}`} d={pathOf(edge)} />
          ))}
          {[...places].map(([vertex, { x, y }]) => drawn(vertex, x, y, labelLength))}
        </svg>
      </section>
      <figcaption>
        <ul class="legend">
          {present.map((look) => (
            <li>
              {icon(look)} {meaningOf(look)}
            </li>
          ))}
        </ul>
      </figcaption>
    </figure>
  );
}

/** What the picture shows, for screen readers. The list below it has every source. */
function inWords({ sources, mode, lists }: NetworkState): string {
  const outside = sources.filter(({ kind }) => kind !== 'local');
  const of = (kind: string) => outside.filter((source) => source.kind === kind).length;
  const isMirror = mode === 'mirror';
  const { storage, peers } = lists;
  const known = ` Through them it knows ${counted(storage.length, 'pod')} and ${counted(peers.length, 'node')}.`;
  return `This ${isMirror ? 'mirror' : 'node'} reads ${counted(of('pod'), 'pod')} and ${counted(of('peer'), 'node')}; \
${answering(outside)}.${isMirror ? known : ''} The list below says the same of each.`;
}

function answering(outside: NetworkState['sources']): string {
  const failing = outside.filter(({ state }) => state === 'failing').length;
  if (outside.length === 0) return 'there is nothing else to read';
  if (failing === 0) return 'all of them answer';
  if (failing === outside.length) return 'none of them answers';
  return `${failing} of them ${failing === 1 ? 'fails' : 'fail'}`;
}

function drawn({ label, note, look, isSelf }: Vertex, x: number, y: number, length: number): Markup {
  const size = isSelf ? 22 : 16;
  const box = { x: x - size / 2, y: y - size / 2, width: size, height: size, viewBox: '0 0 16 16' };
  return (
    <g>
      <svg class={`look ${isSelf ? 'self' : look}`} {...box} aria-hidden="true">
        <path d={shapeOf(isSelf ? 'ok' : look)} />
      </svg>
      <text x={x} y={y + 24}>
        {shortened(label, length)}
      </text>
      {note !== '' && (
        <text class="note" x={x} y={y + 39}>
          {note}
        </text>
      )}
    </g>
  );
}

/** A text without its middle, where it is too long. */
function shortened(text: string, length: number): string {
  const half = Math.floor((length - 1) / 2);
  return text.length <= length ? text : `${text.slice(0, half)}…${text.slice(-half)}`;
}

/** The width of the drawing, and the height of a row, in units of the drawing. */
const [WIDTH, ROW] = [1040, 66];

/** Where each vertex stands, and how edges run between them: from left to right, in columns of equal width. */
function layout({ columns, edges }: Graph) {
  const step = WIDTH / columns.length;
  const columnOf = new Map(columns.flatMap((column, i) => column.map((vertex) => [vertex, i] as const)));
  // An edge that passes columns by rises above their vertices.
  const lift = ({ from, to }: Edge) => {
    const passed = (columnOf.get(to) ?? 0) - (columnOf.get(from) ?? 0) - 1;
    return passed > 0 ? 26 + 14 * passed : 0;
  };
  const above = Math.max(...edges.map(lift), 0);
  const most = Math.max(...columns.map(({ length }) => length));
  const place = (i: number, j: number, of: number) => ({
    x: Math.round((i + 0.5) * step),
    y: Math.round(above + 16 + (j + (most - of) / 2) * ROW),
  });
  const places = new Map(
    columns.flatMap((column, i) => column.map((vertex, j) => [vertex, place(i, j, column.length)] as const)),
  );
  const pathOf = (edge: Edge) => {
    const [a, b] = [places.get(edge.from), places.get(edge.to)];
    if (!a || !b) return '';
    const [bend, up] = [Math.round((b.x - a.x) / 2), Math.round(lift(edge) * 1.3)];
    return `M${a.x} ${a.y}C${a.x + bend} ${a.y - up} ${b.x - bend} ${b.y - up} ${b.x} ${b.y}`;
  };
  return { width: WIDTH, height: above + most * ROW + 4, labelLength: Math.floor(step / 8), places, pathOf };
}
