import { Gauge, type Registry as MetricsRegistry } from 'prom-client';

/** The values of a metric that has one for each combination of labels. */
type Labelled = readonly (readonly [labels: Readonly<Record<string, string>>, value: number])[];

/** Adds a metric whose value is looked up when the metrics are read; `labels` are the names of those that `value` gives. */
export function addGauge(
  registry: MetricsRegistry,
  name: string,
  help: string,
  value: () => number | Labelled | Promise<number | Labelled>,
  labels: readonly string[] = [],
): void {
  new Gauge({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
    async collect() {
      const current = await value();
      if (typeof current === 'number') return this.set(current);
      this.reset();
      for (const [labelled, one] of current) this.set(labelled, one);
    },
  });
}
