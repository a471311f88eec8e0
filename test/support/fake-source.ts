import type { Source } from '../../src/component/source.js';
import type { PollProgress, PollResult, SyncSource } from '../../src/sync/sync-source.js';

/** A source that a test answers for: polls wait until `answer` is called, unless `result` is set. */
export class FakeSource implements SyncSource {
  readonly source: Source;
  trust: 'configured' | 'learned' = 'configured';
  polls = 0;
  running = 0;
  aborted = 0;
  result: PollResult | undefined = { documents: [] };
  answer: (result: PollResult) => void = () => undefined;

  constructor(url: string) {
    this.source = { kind: 'pod', url };
  }

  async poll(_: unknown, { signal }: PollProgress): Promise<PollResult> {
    this.polls += 1;
    this.running += 1;
    try {
      if (this.result) return this.result;
      return await new Promise((resolve, reject) => {
        this.answer = resolve;
        signal.addEventListener('abort', () => {
          this.aborted += 1;
          reject(signal.reason);
        });
      });
    } finally {
      this.running -= 1;
    }
  }
}
