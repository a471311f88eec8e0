import { beforeEach, describe, expect, test } from 'vitest';
import { connect, connectionPath, refreshAll, values } from '../../../support/connection-requests.js';
import type { FakeServer } from '../../../support/fake-server.js';
import { inTurtle } from '../../../support/fake-server.js';
import { waitFor } from '../../../support/wait-for.js';
import { ALICE, startWithPod, type TestService } from '../../adapters/connection-app.js';

let pod: FakeServer;
let node: TestService;
beforeEach(async () => {
  ({ pod, node } = await startWithPod());
});

// biome-ignore lint/suspicious/noExplicitAny: judged by the expectations
type Shown = any;

/** Replaces the connection, with one field or more changed. */
async function change(uri: string, more: object): Promise<void> {
  const { json } = await node.send(connectionPath(uri));
  const { status, text } = await node.send(connectionPath(uri), {
    method: 'PUT',
    body: { ...json, ...more },
  });
  if (status !== 200) throw new Error(text);
}

describe('a cached resource that a refresh leaves out', () => {
  test.each(['NOTCONNECTED', 'CONNECTING'])(
    'because its connection is %s says so, wherever it is shown',
    async (state) => {
      pod.on('/a', inTurtle('<#it> <urn:p> "a" .')).on('/b', inTurtle('<#it> <urn:p> "b" .'));
      const uri = await connect(node, ALICE, { source: pod.url('/a') });
      await connect(node, ALICE, { source: pod.url('/b') });
      const ofBoth = (records: Shown[]) =>
        ['/a', '/b'].map((path) => records.find((record) => record.uri === pod.url(path)));
      const [a, b] = ofBoth(await refreshAll(node));
      expect([a.skipped, b.skipped]).toEqual([undefined, undefined]);

      await change(uri, { state });
      node.time.now += 1000;
      const [left, again] = ofBoth(await refreshAll(node));
      expect(left).toEqual({
        ...a,
        skipped: `its connection is ${state}; a refresh reads the sources of CONNECTED ones`,
      });
      expect([again.skipped, again.refreshed]).toEqual([undefined, String(node.time.now)]);
      expect(pod.count('/a')).toBe(1);
      expect(ofBoth((await node.send('/resource/')).json)).toEqual([left, again]);
      expect((await node.send(`/resource/${encodeURIComponent(left.uri)}`)).json).toEqual(left);

      await change(uri, { state: 'CONNECTED' });
      expect((await refreshAll(node)).map((record: object) => 'skipped' in record)).toEqual([false, false]);
    },
  );

  test('because its connection was changed while it was read says so in the answer', async () => {
    let answer: (() => void) | undefined;
    pod.on('/a', inTurtle('<#it> <urn:p> "old" .'));
    const uri = await connect(node, ALICE, { source: pod.url('/a') });
    await refreshAll(node);
    pod.on('/a', async () => {
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      return inTurtle('<#it> <urn:p> "new" .');
    });
    node.time.now += 1000;
    const refreshing = refreshAll(node);
    await waitFor(() => answer);
    await change(uri, { configuration: { note: 'changed meanwhile' } });
    answer?.();
    const [record] = await refreshing;
    expect([values(record), record.skipped]).toEqual([
      ['old'],
      'its connection was changed during this refresh; refresh again',
    ]);
    // Another request knows nothing of that refresh.
    expect((await node.send('/resource/')).json[0].skipped).toBeUndefined();
  });
});
