import type { RunLog } from '../report/run-log.js';
import type { ScheduledEvent } from '../time/event-queue.js';
import { substream } from '../time/substream.js';
import type { Stage } from './happening.js';
import { isFault, type Planned } from './plan.js';

interface Open {
  readonly what: string;
  readonly end: () => void | Promise<void>;
  readonly event: ScheduledEvent;
}

/** Makes happen what was planned, and puts it right again in time. */
export class Happenings {
  /** What has happened, and when, for people. */
  readonly history: string[] = [];
  /** Numbers of what has happened. */
  readonly begun: number[] = [];
  readonly #stage: Stage;
  readonly #seed: number;
  readonly #log: RunLog;
  readonly #open = new Map<number, Open>();
  #failure: { readonly error: unknown } | undefined;

  constructor(stage: Stage, seed: number, log: RunLog) {
    this.#stage = stage;
    this.#seed = seed;
    this.#log = log;
  }

  /** Of what has happened, how much was a fault. */
  get faults(): number {
    return this.begun.filter(isFault).length;
  }

  async begin({ number, kind, lasts }: Planned): Promise<void> {
    const { world } = this.#stage;
    this.begun.push(number);
    const { what, end } = await kind.begin(this.#stage, substream(this.#seed, 'happening', number));
    this.#note(`#${number} ${kind.name}: ${what}`);
    if (!end) return;
    const event = world.time.after(lasts, () => this.#end(number));
    this.#open.set(number, { what, end, event });
  }

  /** @throws what went wrong when something was put right */
  check(): void {
    if (this.#failure) throw this.#failure.error;
  }

  /** Begins to put everything right. It may take time: that of a start, say. */
  endAll(): void {
    for (const number of [...this.#open.keys()]) this.#end(number);
  }

  #end(number: number): void {
    const open = this.#open.get(number);
    if (!open) return;
    this.#open.delete(number);
    this.#stage.world.time.cancel(open.event);
    this.#putRight(open.end).then(
      () => this.#note(`#${number} ends: ${open.what}`),
      (error) => {
        this.#failure ??= { error };
      },
    );
  }

  async #putRight(end: Open['end']): Promise<void> {
    await end();
  }

  #note(text: string): void {
    const minutes = (this.#stage.world.elapsed / 60_000).toFixed(2);
    this.history.push(`${minutes} min  ${text}`);
    this.#log.note(text);
  }
}
