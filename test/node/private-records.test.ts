import { expect, it } from 'vitest';
import { startInProcess } from '../acceptance/adapters/in-process-node.js';
import { fakeServer } from '../support/fake-server.js';
import { OPERATOR_TOKEN } from '../support/node/node-options.js';

it('nobody learns from the registry what only the connection service knows', async () => {
  const pod = await fakeServer();
  const body = '<#it> <urn:says> "private words", <https://private.example/card.js> .';
  pod.on('/private/diary.ttl', { headers: { 'content-type': 'text/turtle' }, body });
  const node = await startInProcess({
    config: { connection: { enabled: true }, network: { allowPrivate: true } },
  });
  const call = async (path: string, sent?: object) => {
    const answer = await fetch(node.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' },
      ...(sent ? { body: JSON.stringify(sent) } : {}),
    });
    expect(answer.ok).toBe(true);
    return (await answer.json()) as { uri: string };
  };
  const source = pod.url('/private/diary.ttl');
  const holder = 'https://holder.example/#me';
  const connection = await call('/connection/', {
    ...{ source: encodeURIComponent(source), holder: encodeURIComponent(holder), state: 'CONNECTED' },
    configuration: { accessToken: 'secret' },
  });
  await call('/resource/refresh');
  expect(pod.count('/private/diary.ttl')).toBeGreaterThan(0);

  const known = [source, pod.url('/private/'), pod.url('/'), holder, decodeURIComponent(connection.uri)];
  // As of a uri that nobody has ever heard of.
  const nothing = { statements: [], invalid: [], removed: [], refused: [], elsewhere: {}, unread: [] };
  for (const uri of [...known, 'https://private.example/card.js'])
    for (const token of [`Bearer ${OPERATOR_TOKEN}`, '']) {
      const headers = { authorization: token };
      const answer = await fetch(`${node.url}/why?uri=${encodeURIComponent(uri)}`, { headers });
      expect(await answer.json()).toEqual({ uri, served: false, ...nothing });
    }
});
