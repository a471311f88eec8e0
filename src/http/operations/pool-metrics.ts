import { Counter, type Registry as MetricsRegistry } from 'prom-client';
import { LANES, type PoolFigures, TASK_ENDS } from '../../lib/pool/task.js';
import { addGauge } from './gauge.js';

/** Metrics of the worker threads that read documents, looked up when the metrics are read. */
export function addPoolMetrics(registry: MetricsRegistry, figures: () => PoolFigures): void {
  const registers = [registry];
  addGauge(
    registry,
    'registry_worker_threads',
    'Worker threads that read documents',
    () => figures().threads,
  );
  for (const state of ['waiting', 'running'] as const) {
    const help = `Documents that are ${state === 'waiting' ? 'waiting for' : 'being read in'} a worker thread`;
    const counted = () => LANES.map((lane) => [{ lane }, figures().lanes[lane][state]] as const);
    addGauge(registry, `registry_worker_tasks_${state}`, help, counted, ['lane']);
  }
  new Counter({
    name: 'registry_worker_tasks_total',
    help: 'Documents given to worker threads, by how that ended: killed ones took too much time or memory, dropped ones were not needed any more, for refused ones there was no room',
    labelNames: ['lane', 'result'],
    registers,
    collect() {
      this.reset();
      for (const lane of LANES) {
        for (const result of TASK_ENDS) this.inc({ lane, result }, figures().lanes[lane].ended[result]);
      }
    },
  });
  new Counter({
    name: 'registry_worker_seconds_total',
    help: 'Processor time that worker threads have taken for documents',
    labelNames: ['lane'],
    registers,
    collect() {
      this.reset();
      for (const lane of LANES) this.inc({ lane }, figures().lanes[lane].seconds);
    },
  });
}
