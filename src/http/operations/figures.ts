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
    const lookUp = async () => {
      const current = await value();
      return typeof current === 'number' ? [[{}, current] as const] : current;
    };
    const declared = { name, help, labelNames: [...labels], registers: [registry] };
    if (name.endsWith('_total')) {
      new Counter({
        ...declared,
        async collect() {
          const current = await lookUp();
          this.reset();
          for (const [labelled, one] of current) this.inc(labelled, one);
        },
      });
    } else {
      new Gauge({
        ...declared,
        async collect() {
          const current = await lookUp();
          this.reset();
          for (const [labelled, one] of current) this.set(labelled, one);
        },
      });
    }
  }
}
