import { type Source, sourceKey } from '../component/source.js';
import type { ComponentName } from '../core/document-change.js';
import type { Activity, SourceEvent } from '../explain/node-report.js';
import type { PollReport } from '../explain/poll-report.js';
import type { Clock } from '../lib/clock.js';
import { counted } from '../lib/counted.js';

/** Events of all sources together that are kept, and characters of an event. */
const KEPT = { events: 50, detail: 300 } as const;

interface SourceHistory {
  readonly source: Source;
  hasBeenPolled: boolean;
  /** Why its last poll failed. */
  error: string | undefined;
  /** Has it lost something that is pending? */
  hasPending: boolean;
}

/** Remembers what has happened lately. */
export class History implements Activity {
  readonly #clock: Clock;
  readonly #sources = new Map<string, SourceHistory>();
  readonly #events: SourceEvent[] = [];
  #started = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The newest first. */
  get events(): readonly SourceEvent[] {
    return this.#events.toReversed();
  }

  /** Have sources been polled, and did the last poll of every one of them fail? */
  get allFail(): boolean {
    const polled = [...this.#sources.values()].filter(({ hasBeenPolled }) => hasBeenPolled);
    return polled.length > 0 && polled.every(({ error }) => error !== undefined);
  }

  /** To be told which sources are read from now on. Those of the first time are no news. */
  setSources(sources: readonly Source[]): void {
    const read = new Set(sources.map(sourceKey));
    for (const [key, { source }] of this.#sources) {
      if (read.has(key)) continue;
      this.#sources.delete(key);
      this.#add(source, 'went', 'not read any more');
    }
    for (const source of sources) {
      const key = sourceKey(source);
      if (this.#sources.has(key)) continue;
      this.#sources.set(key, { source, hasBeenPolled: false, error: undefined, hasPending: false });
      if (this.#started) this.#add(source, 'came', 'read from now on');
    }
    this.#started = true;
  }

  /** To be told of every poll that ended. */
  polled(report: PollReport): void {
    const { source, ok, error, added, changed, removed, examples, held } = report;
    const past = this.#sources.get(sourceKey(source));
    if (!past) return;
    past.hasBeenPolled = true;
    if (past.error !== undefined && ok) this.#add(source, 'recovered', 'answers again');
    this.#addComponents(source, 'came', added, examples.added);
    this.#addComponents(source, 'changed', changed, examples.changed);
    this.#addComponents(source, 'went', removed, examples.removed);
    if (held && !past.hasPending) {
      this.#add(
        source,
        'held',
        `${counted(held.to, 'component')} instead of ${held.from.toLocaleString('en')}`,
      );
    }
    past.hasPending = held !== undefined;
    if (!ok && error !== past.error) this.#add(source, 'failed', error ?? 'for no known reason');
    past.error = ok ? undefined : (error ?? '');
  }

  #addComponents(
    source: Source,
    what: SourceEvent['what'],
    count: number,
    components: readonly ComponentName[],
  ): void {
    if (count === 0) return;
    const more = count - components.length;
    this.#add(source, what, counted(count, 'component'), more > 0 ? { components, more } : { components });
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
