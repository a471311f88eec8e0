import { beforeEach, describe, expect, test } from 'vitest';
import type { Source } from '../../../src/component/source.js';
import type { SourceRecord } from '../../../src/core/source-record.js';
import type { PollReport } from '../../../src/explain/poll-report.js';
import { PollHistory } from '../../../src/http/operations/poll-history.js';
import { NO_CHANGE } from '../../../src/registry/registry.js';
import { VirtualClock } from '../../support/virtual-time.js';

const POD: Source = { kind: 'pod', url: 'https://pod.example/' };

let clock: VirtualClock;
let history: PollHistory;
let logged: string[];
let counted: boolean[];
beforeEach(() => {
  clock = new VirtualClock();
  logged = [];
  counted = [];
  const line = (level: string) => (_: object, message: string) => void logged.push(`${level}: ${message}`);
  const log = { debug: line('debug'), info: line('info'), warn: line('warn') };
  const metrics = { polled: (report: PollReport) => void counted.push(report.ok) };
  history = new PollHistory({ clock, log, metrics });
  before = { failures: 0 };
});

/** What is remembered of the pod before its next poll. */
let before: SourceRecord;
const polled = (report: Partial<PollReport> = {}) => {
  clock.pass(1000);
  const { ok = true, error, held } = report;
  const after = {
    ...{ failures: ok ? 0 : before.failures + 1, lastSuccess: ok ? clock.now() : before.lastSuccess, error },
    shrink: held && { since: 0, polls: 1, ...held },
  };
  const told = { source: POD, ok: true, durationMs: 20, ...NO_CHANGE, ...report };
  history.polled({ before, after, report: told });
  before = after;
};
const events = () => history.events.map(({ what, detail }) => `${what}: ${detail}`);

describe('the history of sources', () => {
  test('tells what came, changed and went, the newest first', () => {
    const first = { uri: 'https://c.example/a.js', label: 'A' };
    polled({ added: 3, examples: { ...NO_CHANGE.examples, added: [first] } });
    expect(history.events[0]).toMatchObject({ components: [first], more: 2 });
    polled();
    polled({ changed: 1, removed: 2 });
    expect(events()).toEqual(['went: 2 components', 'changed: 1 component', 'came: 3 components']);
    expect(history.events[0]).toMatchObject({ at: clock.now(), source: POD });
    expect(logged).toEqual(['info', 'debug', 'info'].map((level) => `${level}: source polled`));
  });

  test('tells once why a source fails, and that it answers again', () => {
    for (const error of ['refused', 'refused', 'timed out']) polled({ ok: false, error });
    polled();
    polled();
    expect(events()).toEqual(['recovered: answers again', 'failed: timed out', 'failed: refused']);
    expect(logged).toEqual([
      ...['warn: source fails', 'debug: source still fails', 'warn: source fails'],
      ...['info: source recovered', 'debug: source polled'],
    ]);
    expect(counted).toEqual([false, false, false, true, true]);
  });

  test('tells once that a source is held because it has lost so much', () => {
    for (const to of [3, 3, 4]) polled({ held: { from: 100, to } });
    polled();
    polled({ held: { from: 100, to: 2 } });
    expect(events()).toEqual(['held: 2 components instead of 100', 'held: 3 components instead of 100']);
  });

  test('keeps 50 events of bounded length', () => {
    for (let i = 0; i < 300; i++) polled({ ok: false, error: `${i} ${'x'.repeat(5000)}` });
    expect(history.events).toHaveLength(50);
    expect(history.events[0]?.detail).toMatch(/^299 x/);
    expect(history.events.every(({ detail }) => detail.length <= 300)).toBe(true);
  });
});
