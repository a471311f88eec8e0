import { Counter, Gauge, type Registry as MetricsRegistry } from 'prom-client';

/** The values of a metric that has one for each combination of labels. */
type Labelled = readonly (readonly [labels: Readonly<Record<string, string>>, value: number])[];

/** What a metric is for, its value at the moment of asking, and the names of the labels that the value gives. */
type Figure = readonly [
  help: string,
  value: () => number | Labelled | Promise<number | Labelled>,
  labels?: readonly string[],
];

/** Metrics by their names. As Prometheus has it, what ends in `_total` only grows: a counter; all others are gauges. */
export type Figures = Readonly<Record<string, Figure>>;

/** Adds metrics that are looked up when the metrics are read. */
export function addFigures(registry: MetricsRegistry, figures: Figures): void {
  for (const [name, [help, value, labels = []]] of Object.entries(figures)) {
    async function collect(this: Pick<Gauge, 'reset' | 'inc'>): Promise<void> {
      const current = await value();
      this.reset();
      for (const [labelled, one] of typeof current === 'number' ? [[{}, current] as const] : current)
        this.inc(labelled, one);
    }
    const declared = { name, help, labelNames: [...labels], registers: [registry], collect };
    if (name.endsWith('_total')) new Counter(declared);
    else new Gauge(declared);
  }
}
