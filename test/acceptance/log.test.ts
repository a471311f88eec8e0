import { expect, test } from 'vitest';
import { fakeServer } from '../support/fake-server.js';
import { OPERATOR_TOKEN, sync } from '../support/node/node-reader.js';
import { waitFor } from '../support/wait-for.js';
import { startInProcess } from './adapters/in-process-node.js';

const METADATA =
  '<https://c.example/a.js> a <http://semcom.digita.ai/voc#component>; <http://semcom.digita.ai/voc#label> "A".';
const ENV = { REGISTRY_OPERATOR_TOKEN: OPERATOR_TOKEN };

/** A pod that consists of one document. */
async function startPod() {
  const pod = await fakeServer();
  return pod.on('/a.ttl', { headers: { 'content-type': 'text/turtle' }, body: METADATA, etag: '"1"' });
}

test('a poll is one line of the log, and an idle network fills it at debug only', async () => {
  const pod = await startPod();
  const config = { pods: [pod.url('/a.ttl')], sync: { schedule: '0 0 1 1 *' } };
  for (const level of ['info', 'debug']) {
    const node = await startInProcess({ config, env: { ...ENV, REGISTRY_LOG_LEVEL: level } });
    const polls = () => node.log.filter((line) => line.kind === 'pod').map((line) => [line.level, line.msg]);
    await waitFor(() => polls().length === 1, { describe: 'the poll at the start' });
    for (let i = 0; i < 2; i++) await sync(node);
    await node.stop();
    const idle = ['debug', 'source polled'];
    expect(polls()).toEqual([['info', 'source polled'], ...(level === 'debug' ? [idle, idle] : [])]);
  }
});
