import type { Metric, Registry as MetricsRegistry } from 'prom-client';
import type { RouteMetrics, RouteMetricsOf } from '../../lib/http/response/answer.js';
import { addFigures } from './figures.js';

const DURATION = 'registry_http_request_duration_seconds';
/** Upper bounds, in seconds. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The counts of one route and method, for answers of one status. */
interface Cell {
  readonly labels: { readonly route: string; readonly method: string; readonly status: string };
  readonly status: number;
  /** Requests per bucket (not cumulative); the last bucket has no upper bound. */
  readonly counts: number[];
  seconds: number;
  bytes: number;
}

/**
 * Metrics of requests. The counting is done here, and the metrics library only writes the result: its own histogram
 * and counter look up their labels at each observation, which takes longer than a short answer.
 */
export function requestMetrics(registry: MetricsRegistry): RouteMetricsOf {
  const routes = new Map<string, RouteCounts>();
  const cells = () => [...routes.values()].flatMap((counts) => counts.cells);
  registry.registerMetric(durations(() => cells().flatMap(bucketLines)));
  addFigures(registry, {
    registry_http_response_bytes_total: [
      'Bytes of response bodies',
      () => cells().map(({ labels, bytes }) => [labels, bytes] as const),
      ['route', 'method', 'status'],
    ],
    registry_http_requests_in_flight: [
      'Requests whose answer is not complete',
      () => [...routes.values()].reduce((sum, { inFlight }) => sum + inFlight, 0),
    ],
  });
  return (route, method) => {
    const key = `${method} ${route}`;
    const counts = routes.get(key) ?? new RouteCounts(route, method);
    routes.set(key, counts);
    return counts;
  };
}

class RouteCounts implements RouteMetrics {
  inFlight = 0;
  readonly cells: Cell[] = [];

  constructor(
    readonly route: string,
    readonly method: string,
  ) {}

  started(): number {
    this.inFlight += 1;
    return performance.now();
  }

  finished(startedAt: number, status: number, bytes: number): void {
    this.inFlight -= 1;
    const cell = this.#cell(status);
    const seconds = (performance.now() - startedAt) / 1000;
    let bucket = 0;
    while (bucket < BUCKETS.length && seconds > (BUCKETS[bucket] as number)) bucket += 1;
    cell.counts[bucket] = (cell.counts[bucket] ?? 0) + 1;
    cell.seconds += seconds;
    cell.bytes += bytes;
  }

  /** A route has few statuses: looking through a list is faster than a map. */
  #cell(status: number): Cell {
    for (const cell of this.cells) if (cell.status === status) return cell;
    const labels = { route: this.route, method: this.method, status: String(status) };
    const counts = new Array<number>(BUCKETS.length + 1).fill(0);
    const added = { labels, status, counts, seconds: 0, bytes: 0 };
    this.cells.push(added);
    return added;
  }
}

interface Line {
  readonly metricName: string;
  readonly labels: object;
  readonly value: number;
}

/** The lines of a histogram: requests up to each bound (cumulative), then the sum of their seconds and their number. */
function bucketLines({ labels, counts, seconds }: Cell): Line[] {
  let sum = 0;
  const lines = counts.map((count, i): Line => {
    sum += count;
    return { metricName: `${DURATION}_bucket`, labels: { ...labels, le: BUCKETS[i] ?? '+Inf' }, value: sum };
  });
  return [
    ...lines,
    { metricName: `${DURATION}_sum`, labels, value: seconds },
    { metricName: `${DURATION}_count`, labels, value: sum },
  ];
}

/** A histogram whose lines are made when the metrics are read. */
function durations(values: () => Line[]): Metric {
  const metric = {
    ...{ name: DURATION, type: 'histogram', aggregator: 'sum' },
    help: 'Time from the request until the answer was made, or sent when it is streamed',
    get: async () => ({ ...metric, values: values() }),
    reset: () => undefined,
  };
  return metric as unknown as Metric;
}
