import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { DataRequest } from '../../src/host/data-events.js';
import type { Quad } from '../../src/host/quad.js';
import { solidData } from '../../src/host/solid-data.js';
import { type FakeAnswer, type FakeServer, fakeServer, type SeenRequest } from '../support/fake-server.js';

let server: FakeServer;
beforeAll(async () => {
  server = await fakeServer();
});
afterAll(() => server.close());

/** One resource that knows conditions, and says nothing of its new version after a PUT, as pods do. */
const resource = { body: '', type: 'text/plain', version: 0, tags: true, patches: true };
/** Called before a PUT is judged: what others do meanwhile. */
let meanwhile: () => void;

beforeEach(() => {
  Object.assign(resource, { body: 'one', type: 'text/plain', version: 1, tags: true, patches: true });
  meanwhile = () => undefined;
  server.requests.length = 0;
  server.everything(answer);
});

function answer({ method, headers, body }: SeenRequest): FakeAnswer {
  const exists = resource.version > 0;
  const tag = exists ? `"${resource.version}"` : undefined;
  const described: Record<string, string> = {
    'content-type': resource.type,
    ...(resource.tags && tag ? { etag: tag } : {}),
  };
  if (method === 'GET' || method === 'HEAD') {
    return exists ? { headers: described, body: method === 'GET' ? resource.body : '' } : { status: 404 };
  }
  if (method === 'PATCH' && !resource.patches) return { status: 405 };
  if (method === 'PATCH') return { status: 205 };
  meanwhile();
  const current = resource.version > 0 ? `"${resource.version}"` : undefined;
  const wanted = headers['if-match'];
  if (wanted !== undefined && wanted !== current) return { status: 412 };
  if (headers['if-none-match'] === '*' && current) return { status: 412 };
  Object.assign(resource, { body, type: headers['content-type'], version: resource.version + 1 });
  return { status: 205 };
}

const handler = () => solidData();
const signal = new AbortController().signal;
const request = (more: Partial<DataRequest>): DataRequest => ({
  action: 'read',
  type: 'text',
  uri: server.url('/data'),
  ...more,
});
const sent = (method: string) => server.requests.filter((one) => one.method === method);

describe('reading', () => {
  test.each([
    ['text', 'text/plain', 'grüß', 'grüß'],
    ['json', 'application/json', '{"a":1}', { a: 1 }],
    ['uint8array', 'image/png', 'ab', new Uint8Array([97, 98])],
  ] as const)('%s', async (type, contentType, body, expected) => {
    Object.assign(resource, { body, type: contentType });
    expect(await handler()(request({ type }), signal)).toEqual(expected);
  });

  test('quads, with relative IRIs resolved against the document and not its fragment', async () => {
    Object.assign(resource, { body: '<#me> <p> "x"@en.', type: 'text/turtle; charset=utf-8' });
    const [quad] = (await handler()(
      request({ type: 'quads', uri: server.url('/data#me') }),
      signal,
    )) as Quad[];
    expect(quad).toMatchObject({
      subject: { termType: 'NamedNode', value: server.url('/data#me') },
      predicate: { value: server.url('/p') },
      object: { termType: 'Literal', value: 'x', language: 'en' },
    });
  });

  test('quads from JSON-LD, the same as from Turtle', async () => {
    const context = { '@vocab': server.url('/') };
    const body = JSON.stringify({
      '@context': context,
      '@id': '#me',
      p: { '@value': 'x', '@language': 'en' },
    });
    Object.assign(resource, { body, type: 'application/ld+json' });
    const read = () => handler()(request({ type: 'quads', uri: server.url('/data#me') }), signal);
    const quads = await read();
    Object.assign(resource, { body: '<#me> <p> "x"@en.', type: 'text/turtle' });
    expect(quads).toEqual(await read());
  });

  test('a blob with its type', async () => {
    resource.type = 'image/png';
    const blob = (await handler()(request({ type: 'blob' }), signal)) as Blob;
    expect([blob.type, await blob.text()]).toEqual(['image/png', 'one']);
  });

  test('asks for the media type', async () => {
    await handler()(request({ mime: 'text/plain' }), signal);
    expect(server.requests[0]?.headers.accept).toBe('text/plain');
  });

  test.each([
    ['nothing there', {}, { version: 0 }, /GET .* was answered with 404/],
    ['json that is not', { type: 'json' }, {}, /is not JSON/],
    ['quads of another format', { type: 'quads' }, {}, /is text\/plain; quads are read from text\/turtle/],
    ['broken Turtle', { type: 'quads' }, { type: 'text/turtle' }, /is not valid text\/turtle/],
  ])('refuses %s', async (_what, wanted, present, message) => {
    Object.assign(resource, present);
    await expect(handler()(request(wanted as Partial<DataRequest>), signal)).rejects.toThrow(message);
  });

  test('refuses a body without an end', async () => {
    server.everything({ body: 'x'.repeat(1_000_000), endless: true });
    await expect(handler()(request({}), signal)).rejects.toThrow(/larger than 50000000 bytes/);
  });
});

describe('writing', () => {
  test('keeps the type in which the resource was read', async () => {
    resource.type = 'text/turtle';
    const handle = handler();
    await handle(request({}), signal);
    await handle(request({ action: 'write', data: '<a> <b> <c>.' }), signal);
    expect(resource).toMatchObject({ body: '<a> <b> <c>.', type: 'text/turtle' });
    await handle(request({ action: 'write', type: 'json', data: [1] }), signal);
    expect(resource).toMatchObject({ body: '[1]', type: 'application/json' });
  });

  test('refuses quads in a media type that is not Turtle', async () => {
    const asked = request({ action: 'write', type: 'quads', data: [], mime: 'application/ld+json' });
    await expect(handler()(asked, signal)).rejects.toThrow(/quads are written as Turtle/);
    expect(sent('PUT')).toEqual([]);
    await handler()(request({ ...asked, mime: 'text/turtle; charset=utf-8' }), signal);
    expect(resource.type).toBe('text/turtle; charset=utf-8');
  });

  test('makes a resource that is not there', async () => {
    resource.version = 0;
    const data = { a: 'ü' };
    expect(await handler()(request({ action: 'write', type: 'json', data }), signal)).toBe(data);
    expect(resource).toMatchObject({ body: '{"a":"ü"}', type: 'application/json' });
  });

  test('does not overwrite what somebody else wrote since it was read', async () => {
    const serve = handler();
    await serve(request({}), signal);
    Object.assign(resource, { body: 'theirs', version: 2 });
    await expect(serve(request({ action: 'write', data: 'mine' }), signal)).rejects.toMatchObject({
      reason: 'conflict',
    });
    expect(resource.body).toBe('theirs');
    await serve(request({}), signal);
    await serve(request({ action: 'write', data: 'mine' }), signal);
    await serve(request({ action: 'write', data: 'mine again' }), signal);
    expect(resource.body).toBe('mine again');
  });
});

describe('appending', () => {
  test('text starts again when somebody else was faster, and loses nothing of theirs', async () => {
    const others = ['+two', '+three'];
    meanwhile = () => {
      const other = others.shift();
      if (other) Object.assign(resource, { body: resource.body + other, version: resource.version + 1 });
    };
    await handler()(request({ action: 'append', data: '+mine' }), signal);
    expect(resource.body).toBe('one+two+three+mine');
  });

  test('many at once all arrive', async () => {
    const serve = handler();
    const items = ['a', 'b', 'c', 'd', 'e'];
    await Promise.all(items.map((data) => serve(request({ action: 'append', data }), signal)));
    expect([...resource.body.slice(3)].sort()).toEqual(items);
  });

  test('to nothing makes the resource, unless somebody else makes it first', async () => {
    resource.version = 0;
    meanwhile = () => {
      if (resource.version === 0) Object.assign(resource, { body: 'theirs', version: 1 });
    };
    await handler()(request({ action: 'append', data: '+mine' }), signal);
    expect(resource.body).toBe('theirs+mine');
  });

  test('bytes', async () => {
    await handler()(request({ action: 'append', type: 'uint8array', data: new Uint8Array([33]) }), signal);
    expect(resource.body).toBe('one!');
  });

  test('nothing to JSON, which has no end', async () => {
    Object.assign(resource, { body: '[1]', type: 'application/json' });
    const append = handler()(request({ action: 'append', type: 'json', data: [2] }), signal);
    await expect(append).rejects.toThrow(/no end to append to/);
    expect(resource.body).toBe('[1]');
  });

  test('is refused, before anything is written, where the server has no versions', async () => {
    resource.tags = false;
    await expect(handler()(request({ action: 'append', data: 'x' }), signal)).rejects.toThrow(
      /no strong ETag/,
    );
    expect(sent('PUT')).toEqual([]);
  });

  test('gives up after eight attempts', async () => {
    meanwhile = () => {
      resource.version += 1;
    };
    await expect(handler()(request({ action: 'append', data: 'x' }), signal)).rejects.toMatchObject({
      reason: 'conflict',
    });
    expect(sent('PUT')).toHaveLength(8);
    expect(resource.body).toBe('one');
  });

  const node = (value: string) => ({ termType: 'NamedNode', value });
  const quad = (object: object, graph: object = { termType: 'DefaultGraph', value: '' }) =>
    ({ subject: node('http://s'), predicate: node('http://p'), object, graph }) as Quad;

  test('quads is an insertion that the server makes', async () => {
    const data = [quad({ termType: 'Literal', value: 'a "b"\n}', language: '' })];
    await handler()(request({ action: 'append', type: 'quads', data }), signal);
    expect(sent('PATCH')[0]).toMatchObject({
      headers: { 'content-type': 'text/n3' },
      body: expect.stringContaining(
        'solid:inserts { <http://s> <http://p> "a \\u0022b\\u0022\\u000a}" .\n }.',
      ),
    });
    expect(sent('PUT')).toEqual([]);
  });

  test.each(['the server knows no patches', 'they have blank nodes'])(
    'quads is a rewrite when %s',
    async (why) => {
      resource.patches = why !== 'the server knows no patches';
      Object.assign(resource, { body: '<a> <b> _:b0 .', type: 'text/turtle' });
      const object = resource.patches ? { termType: 'BlankNode', value: 'b0' } : node('http://o');
      await handler()(request({ action: 'append', type: 'quads', data: [quad(object)] }), signal);
      const line = resource.patches
        ? /\n<http:\/\/s> <http:\/\/p> _:n\d+x\d+xb0 \.\n$/
        : /\n<http:\/\/s> <http:\/\/p> <http:\/\/o> \.\n$/;
      expect(resource.body).toMatch(line);
      expect(resource.body).toMatch(/^<a> <b> _:b0 \./);
    },
  );

  test('quads to a document that is not Turtle are refused, and it stays as it is', async () => {
    Object.assign(resource, { body: '{}', type: 'application/ld+json', patches: false });
    const data = [quad(node('http://o'))];
    await expect(handler()(request({ action: 'append', type: 'quads', data }), signal)).rejects.toThrow(
      /is application\/ld\+json; quads are added to Turtle/,
    );
    expect(resource.body).toBe('{}');
  });

  test('quads of a named graph are refused', async () => {
    const data = [quad(node('http://o'), node('http://g'))];
    await expect(handler()(request({ action: 'append', type: 'quads', data }), signal)).rejects.toThrow(
      /named graph/,
    );
    expect(server.requests).toEqual([]);
  });
});
