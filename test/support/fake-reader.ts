import type { Source } from '../../src/component/source.js';
import type { Batch } from '../../src/core/reading.js';
import type { SourceReader } from '../../src/sync/source-reader.js';

type Answer = Partial<Batch> | readonly Partial<Batch>[];

/** A source that a test answers for: polls wait until `answer` is called, unless `result` is set. */
export class FakeReader implements SourceReader {
  readonly source: Source;
  trust: 'configured' | 'learned' = 'configured';
  polls = 0;
  running = 0;
  aborted = 0;
  result: Answer | undefined = {};
  answer: (result: Answer) => void = () => undefined;

  constructor(url: string, kind: 'pod' | 'peer' = 'pod') {
    this.source = { kind, url };
  }

  async *read(_: unknown, _limits: unknown, signal: AbortSignal): AsyncGenerator<Batch> {
    this.polls += 1;
    this.running += 1;
    try {
      yield* batches(this.result ?? (await this.#answered(signal)));
    } finally {
      this.running -= 1;
    }
  }

  #answered(signal: AbortSignal): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.answer = resolve;
      signal.addEventListener('abort', () => {
        this.aborted += 1;
        reject(signal.reason);
      });
    });
  }
}

/** What a reader yields of which only that is said which matters; without a failure it has looked at everything. */
function batches(answer: Answer): Batch[] {
  const all = Array.isArray(answer) ? (answer as readonly Partial<Batch>[]) : [answer as Partial<Batch>];
  return all.map((batch, i) => {
    const isLast = i === all.length - 1;
    return { put: [], gone: [], isLast, ...(isLast ? { complete: !batch.failure } : {}), ...batch };
  });
}
