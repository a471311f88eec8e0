import type { Outcome } from '../simulation.js';

/** What a run of one size has shown. */
export interface SizedOutcome {
  readonly nodes: number;
  readonly pods: number;
  readonly outcome: Outcome;
}

/** One figure of a run, and what it is called. */
interface Column {
  readonly name: string;
  readonly of: (sized: SizedOutcome) => number;
}

const COLUMNS: readonly Column[] = [
  { name: 'joining: requests by a node', of: ({ nodes, outcome }) => outcome.joining.requests / nodes },
  { name: 'joining: kB by a node', of: ({ nodes, outcome }) => outcome.joining.bytes / nodes / 1000 },
  { name: 'idle hour: polls by a node', of: ({ nodes, outcome }) => hourly(outcome, 'polls') / nodes },
  { name: 'idle hour: requests by a node', of: ({ nodes, outcome }) => hourly(outcome, 'requests') / nodes },
  { name: 'idle hour: kB by a node', of: ({ nodes, outcome }) => hourly(outcome, 'bytes') / nodes / 1000 },
  { name: 'idle hour: requests to a pod', of: ({ pods, outcome }) => hourly(outcome, 'podRequests') / pods },
  { name: 'idle hour: kB of a pod', of: ({ pods, outcome }) => hourly(outcome, 'podBytes') / pods / 1000 },
  { name: 'a change everywhere, median (s)', of: ({ outcome }) => outcome.spread.median / 1000 },
  { name: 'p99 (s)', of: ({ outcome }) => outcome.spread.p99 / 1000 },
  { name: 'worst (s)', of: ({ outcome }) => outcome.spread.worst / 1000 },
  { name: 'a deletion everywhere, median (s)', of: ({ outcome }) => outcome.spread.forgetting.median / 1000 },
  { name: 'worst (s)', of: ({ outcome }) => outcome.spread.forgetting.worst / 1000 },
];

function hourly({ idle, idleHours }: Outcome, figure: keyof Outcome['idle']): number {
  return idle[figure] / idleHours;
}

/** A table in Markdown, a line for each size. */
export function sizesTable(outcomes: readonly SizedOutcome[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    line(['nodes', ...COLUMNS.map(({ name }) => name)]),
    line(['---', ...COLUMNS.map(() => '---')]),
    ...outcomes.map((one) => line([String(one.nodes), ...COLUMNS.map(({ of }) => figure(of(one)))])),
  ].join('\n');
}

function figure(value: number): string {
  return value >= 10 ? Math.round(value).toLocaleString('en') : String(Number(value.toFixed(2)));
}

const PLOTTED = ['idle hour: requests to a pod', 'idle hour: requests by a node', 'joining: kB by a node'];
const COLOURS = ['#b3261e', '#1a5fb4', '#26734d'];
const FRAME = { width: 720, height: 400, left: 70, top: 20, right: 250, bottom: 50 };

/** The figures that grow, as lines over the number of nodes, both on logarithmic scales. */
export function sizesPlot(outcomes: readonly SizedOutcome[]): string {
  const series = COLUMNS.filter(({ name }) => PLOTTED.includes(name)).map(({ name, of }) => ({
    name,
    points: outcomes.map((one) => ({ x: one.nodes, y: Math.max(1, of(one)) })),
  }));
  const all = series.flatMap(({ points }) => points);
  const x = scale(
    all.map((point) => point.x),
    FRAME.left,
    FRAME.width - FRAME.right,
  );
  const y = scale(
    all.map((point) => point.y),
    FRAME.height - FRAME.bottom,
    FRAME.top,
  );
  const axes = [
    ...x.ticks.map((tick) => label(x.at(tick), FRAME.height - FRAME.bottom + 20, tick, 'middle')),
    ...y.ticks.map((tick) => `${grid(y.at(tick))}${label(FRAME.left - 8, y.at(tick) + 4, tick, 'end')}`),
    text((FRAME.left + FRAME.width - FRAME.right) / 2, FRAME.height - 10, 'nodes', 'middle'),
  ];
  const lines = series.map(({ name, points }, i) => {
    const colour = COLOURS[i] ?? 'black';
    const path = points.map((point) => `${x.at(point.x)},${y.at(point.y)}`).join(' ');
    const dots = points.map(
      (point) => `<circle cx="${x.at(point.x)}" cy="${y.at(point.y)}" r="3" fill="${colour}"/>`,
    );
    const key = text(FRAME.width - FRAME.right + 15, 40 + 24 * i, name, 'start', colour);
    return `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>${dots.join('')}${key}`;
  });
  const size = `width="${FRAME.width}" height="${FRAME.height}" viewBox="0 0 ${FRAME.width} ${FRAME.height}"`;
  const title = '<title>What a simulated network costs, by the number of its nodes</title>';
  const style = 'font-family="sans-serif" font-size="13"';
  const background = '<rect width="100%" height="100%" fill="white"/>';
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} ${style}>${title}${background}${axes.join('')}${lines.join('')}</svg>\n`;
}

/** A logarithmic scale from one place to another, with a tick at each power of ten and at thrice that. */
function scale(values: readonly number[], from: number, to: number) {
  const least = Math.log10(Math.min(...values));
  const most = Math.log10(Math.max(...values));
  const at = (value: number) =>
    Math.round(10 * (from + ((Math.log10(value) - least) / (most - least || 1)) * (to - from))) / 10;
  const powers = Array.from({ length: 12 }, (_, i) => 10 ** i);
  const ticks = powers
    .flatMap((power) => [power, 3 * power])
    .filter((tick) => {
      const place = Math.log10(tick);
      return place >= least - 0.01 && place <= most + 0.01;
    });
  return { at, ticks };
}

function grid(y: number): string {
  return `<line x1="${FRAME.left}" x2="${FRAME.width - FRAME.right}" y1="${y}" y2="${y}" stroke="#ddd"/>`;
}

function label(x: number, y: number, value: number, anchor: string): string {
  return text(x, y, value.toLocaleString('en'), anchor);
}

function text(x: number, y: number, words: string, anchor: string, colour = '#333'): string {
  return `<text x="${x}" y="${y}" text-anchor="${anchor}" fill="${colour}">${words}</text>`;
}
