import { Gauge, type Metric, type Registry as MetricsRegistry } from 'prom-client';
import type { RequestWatch, RouteWatch } from '../../lib/http/request-watch.js';

const DURATION = 'registry_http_request_duration_seconds';
const BYTES = 'registry_http_response_bytes_total';
/** Upper bounds, in seconds. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

interface Labels {
  readonly route: string;
  readonly method: string;
  readonly status: number;
}

/** What is counted of the requests of one route and method with answers of one status. */
interface Cell {
  readonly labels: Labels;
  /** Requests by bucket, not added up; the last one has no bound. */
  readonly counts: number[];
  seconds: number;
  bytes: number;
}

/**
 * Figures of requests. They are counted here and only written down by the metrics library: its own histogram
 * and counter look up labels anew for each observation, which costs more than a short answer.
 */
export class RequestFigures {
  readonly #routes = new Map<string, RouteFigures>();

  constructor(registry: MetricsRegistry) {
    registry.registerMetric(
      written(
        DURATION,
        'histogram',
        'Time from the request until the answer was made, or sent when it is streamed',
        () => this.#all().flatMap(bucketLines),
      ),
    );
    registry.registerMetric(
      written(BYTES, 'counter', 'Bytes of response bodies', () =>
        this.#all().map(({ labels, bytes }) => ({ metricName: BYTES, labels, value: bytes })),
      ),
    );
    const figures = this;
    new Gauge({
      name: 'registry_http_requests_in_flight',
      help: 'Requests whose answer is not complete',
      registers: [registry],
      collect() {
        this.set([...figures.#routes.values()].reduce((sum, { inFlight }) => sum + inFlight, 0));
      },
    });
  }

  readonly watch: RequestWatch = (route, method) => {
    const key = `${method} ${route}`;
    const figures = this.#routes.get(key) ?? new RouteFigures(route, method);
    this.#routes.set(key, figures);
    return figures;
  };

  #all(): Cell[] {
    return [...this.#routes.values()].flatMap((figures) => figures.cells);
  }
}

/** The figures of one route and method. */
class RouteFigures implements RouteWatch {
  inFlight = 0;
  readonly cells: Cell[] = [];
  readonly #labels: Omit<Labels, 'status'>;

  constructor(route: string, method: string) {
    this.#labels = { route, method };
  }

  began(): number {
    this.inFlight += 1;
    return performance.now();
  }

  ended(began: number, status: number, bytes: number): void {
    this.inFlight -= 1;
    const cell = this.#cell(status);
    const seconds = (performance.now() - began) / 1000;
    let bucket = 0;
    while (bucket < BUCKETS.length && seconds > (BUCKETS[bucket] as number)) bucket += 1;
    cell.counts[bucket] = (cell.counts[bucket] ?? 0) + 1;
    cell.seconds += seconds;
    cell.bytes += bytes;
  }

  /** There are few: looking through them is quicker than a map. */
  #cell(status: number): Cell {
    for (const cell of this.cells) if (cell.labels.status === status) return cell;
    const counts = new Array<number>(BUCKETS.length + 1).fill(0);
    const cell = { labels: { ...this.#labels, status }, counts, seconds: 0, bytes: 0 };
    this.cells.push(cell);
    return cell;
  }
}

interface Line {
  readonly metricName: string;
  readonly labels: object;
  readonly value: number;
}

/** The lines of a histogram: requests up to each bound, then their number and the sum of their seconds. */
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

/** A metric whose values are made when somebody asks. */
function written(name: string, type: string, help: string, values: () => Line[]): Metric {
  const metric = {
    name,
    help,
    type,
    aggregator: 'sum',
    get: async () => ({ ...metric, values: values() }),
    reset: () => undefined,
  };
  return metric as unknown as Metric;
}
