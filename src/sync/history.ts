import { type Source, sourceKey } from '../component/source.js';
import type { SourceEvent } from '../explain/node-report.js';
import type { Clock } from '../lib/clock.js';
import { counted } from '../lib/counted.js';
import type { PollOutcome } from './poll.js';

/** Events of all sources together that are kept, and characters of an event. */
const KEPT = { events: 50, detail: 300 } as const;

/** Remembers what has happened lately: what commits of polls have brought, and how sources began or ceased to fail. */
export class History {
  readonly #clock: Clock;
  readonly #events: SourceEvent[] = [];
  #sources: ReadonlyMap<string, Source> | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The newest first. */
  get events(): readonly SourceEvent[] {
    return this.#events.toReversed();
  }

  /** To be told which sources are read from now on. Those of the first time are no news. */
  setSources(sources: readonly Source[]): void {
    const read = new Map(sources.map((source) => [sourceKey(source), source]));
    const before = this.#sources ?? read;
    for (const [key, source] of before) if (!read.has(key)) this.#add(source, 'went', 'not read any more');
    for (const [key, source] of read) if (!before.has(key)) this.#add(source, 'came', 'read from now on');
    this.#sources = read;
  }

  /** To be told of every poll that ended. */
  polled({ before, report }: Pick<PollOutcome, 'before' | 'report'>): void {
    const { source, ok, error = 'for no known reason', examples, held } = report;
    if (ok && before.failures > 0) this.#add(source, 'recovered', 'answers again');
    for (const [what, change] of [
      ['came', 'added'],
      ['changed', 'changed'],
      ['went', 'removed'],
    ] as const) {
      const [count, components] = [report[change], examples[change]];
      const more = count - components.length || undefined;
      if (count > 0) this.#add(source, what, counted(count, 'component'), { components, more });
    }
    if (held && !before.shrink) {
      const from = held.from.toLocaleString('en');
      this.#add(source, 'held', `${counted(held.to, 'component')} instead of ${from}`);
    }
    if (!ok && error !== before.error) this.#add(source, 'failed', error);
  }

  #add(
    source: Source,
    what: SourceEvent['what'],
    detail: string,
    named: Pick<SourceEvent, 'components' | 'more'> = {},
  ): void {
    this.#events.push({
      at: this.#clock.now(),
      source,
      what,
      detail: detail.slice(0, KEPT.detail),
      ...named,
    });
    if (this.#events.length > KEPT.events) this.#events.shift();
  }
}
