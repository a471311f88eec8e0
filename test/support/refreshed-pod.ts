import {
  type ServiceOptions,
  startService,
  type TestService,
} from '../acceptance/adapters/connection-app.js';
import { type FakeAnswer, type FakeServer, fakeServer } from './fake-server.js';

/** A connection service, and a pod whose documents it can read. */
export async function startWithPod(
  options: ServiceOptions = {},
): Promise<{ pod: FakeServer; node: TestService }> {
  return { pod: await fakeServer(), node: await startService(options) };
}

/** The answer of a pod that has a document in Turtle. */
export const turtle = (body: string, more: FakeAnswer = {}): FakeAnswer => ({
  ...more,
  headers: { 'content-type': 'text/turtle', ...more.headers },
  body,
});

/** Has the service read all sources, with the operator's token unless another is given; gives the records. */
export async function refreshAll(node: TestService, token?: string) {
  const { status, json, text } = await node.send('/resource/refresh', {
    method: 'POST',
    ...(token ? { token } : {}),
  });
  if (status !== 200) throw new Error(text);
  return json;
}

/** The objects of the triples of a record. */
export const values = (record: { triples: { object: { value: string } }[] }) =>
  record.triples.map(({ object }) => object.value);
