import { expect, test } from 'vitest';
import { fakeServer } from '../support/fake-server.js';
import { OPERATOR_TOKEN, sync } from '../support/node/node-reader.js';
import { FakePod, turtle } from '../support/pod/fake-pod.js';
import { startInProcess } from './adapters/in-process-node.js';

interface ToldEvent {
  readonly what: string;
  readonly detail: string;
  readonly more?: number;
  readonly components?: readonly { readonly uri: string; readonly label: string }[];
}

const uriOf = (name: string) => `https://c.example/${name}.js`;

test('what came, changed and went is named: on the network page with links, in /status and in the log', async () => {
  const server = await fakeServer();
  const pod = new FakePod(server);
  pod.put('/c/first.ttl', turtle('first'));
  const node = await startInProcess({
    config: { pods: [server.url('/c/')], sync: { schedule: '0 0 1 1 *' } },
    env: { REGISTRY_OPERATOR_TOKEN: OPERATOR_TOKEN },
  });
  await sync(node);
  for (const name of ['a', 'b', 'c', 'd', 'e']) pod.put(`/c/${name}.ttl`, turtle(name));
  pod.documents.delete('/c/first.ttl');
  await sync(node);

  const { events } = await node.getJson<{ events: readonly ToldEvent[] }>('/status');
  const named = events.map(({ components = [], ...event }) => [event, components.map(({ uri }) => uri)]);
  expect(named).toMatchObject([
    [{ what: 'went', detail: '1 component' }, [uriOf('first')]],
    [{ what: 'came', detail: '5 components', more: 2 }, { length: 3 }],
    [{ what: 'came', detail: '1 component' }, [uriOf('first')]],
  ]);
  const came = events[1]?.components ?? [];

  const page = await (await fetch(`${node.url}/network`, { headers: { accept: 'text/html' } })).text();
  const recent = page.slice(page.indexOf('id="events"'));
  for (const { uri, label } of [...came, { uri: uriOf('first'), label: 'first' }])
    expect(recent).toContain(`<a href="/c/${encodeURIComponent(uri)}">${label}</a> <small>${uri}</small>`);
  expect(recent).toContain('and 2 more');
  // What is gone has no page of its own any more, but /why tells what became of it.
  expect(recent).toContain(`<a href="/why?uri=${encodeURIComponent(uriOf('first'))}">first</a>`);

  const polled = node.log.filter(({ msg }) => msg === 'source polled');
  expect(polled.map(({ components }) => components)).toEqual([
    [`added first (${uriOf('first')})`],
    [
      ...came.map(({ uri, label }) => `added ${label} (${uri})`),
      'added 2 more',
      `removed first (${uriOf('first')})`,
    ],
  ]);
});
