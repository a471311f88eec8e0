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
let handle: ReturnType<typeof solidData>;

beforeEach(() => {
  Object.assign(resource, { body: 'one', type: 'text/plain', version: 1, tags: true, patches: true });
  meanwhile = () => undefined;
  server.requests.length = 0;
  server.everything(answer);
  handle = solidData();
});

const currentTag = () => (resource.version > 0 ? `"${resource.version}"` : undefined);

function answer({ method, headers, body }: SeenRequest): FakeAnswer {
  const tag = currentTag();
  if (method === 'GET' || method === 'HEAD') {
    if (tag === undefined) return { status: 404 };
    const described = { 'content-type': resource.type, ...(resource.tags ? { etag: tag } : {}) };
    return { headers: described, body: method === 'GET' ? resource.body : '' };
  }
  if (method === 'PATCH') return { status: resource.patches ? 205 : 405 };
  meanwhile();
  const current = currentTag();
  const wanted = headers['if-match'];
  if (wanted !== undefined && wanted !== current) return { status: 412 };
  if (headers['if-none-match'] === '*' && current) return { status: 412 };
  Object.assign(resource, { body, type: headers['content-type'], version: resource.version + 1 });
  return { status: 205 };
}

type Asked = Partial<DataRequest>;
const ask = (action: DataRequest['action'], more: Asked = {}) =>
  handle(
    { action, type: 'text', uri: server.url('/data'), ...more } as DataRequest,
    new AbortController().signal,
  );
const read = (more: Asked = {}) => ask('read', more);
const write = (data: unknown, more: Asked = {}) => ask('write', { data, ...more });
const append = (data: unknown, more: Asked = {}) => ask('append', { data, ...more });
const sent = (method: string) => server.requests.filter((one) => one.method === method);

describe('reading', () => {
  test.each([
    ['text', 'text/plain', 'grüß', 'grüß'],
    ['json', 'application/json', '{"a":1}', { a: 1 }],
    ['uint8array', 'image/png', 'ab', new Uint8Array([97, 98])],
  ] as const)('%s', async (type, contentType, body, expected) => {
    Object.assign(resource, { body, type: contentType });
    expect(await read({ type })).toEqual(expected);
  });

  test.each(['text/turtle; charset=utf-8', 'application/ld+json'])(
    'quads of %s, with relative IRIs resolved against the document and not its fragment',
    async (type) => {
      const said = { '@id': '#me', p: { '@value': 'x', '@language': 'en' } };
      const jsonLd = JSON.stringify({ '@context': { '@vocab': server.url('/') }, ...said });
      Object.assign(resource, { body: type.includes('json') ? jsonLd : '<#me> <p> "x"@en.', type });
      const [quad] = (await read({ type: 'quads', uri: server.url('/data#me') })) as Quad[];
      expect(quad).toMatchObject({
        subject: { termType: 'NamedNode', value: server.url('/data#me') },
        predicate: { value: server.url('/p') },
        object: { termType: 'Literal', value: 'x', language: 'en' },
      });
    },
  );

  test('a blob with its type, and of the media type that is asked for', async () => {
    resource.type = 'image/png';
    const blob = (await read({ type: 'blob', mime: 'image/png' })) as Blob;
    expect([blob.type, await blob.text()]).toEqual(['image/png', 'one']);
    expect(server.requests[0]?.headers.accept).toBe('image/png');
  });

  test.each<[string, Asked, object, RegExp]>([
    ['nothing there', {}, { version: 0 }, /GET .* was answered with 404/],
    ['json that is not', { type: 'json' }, {}, /is not JSON/],
    ['quads of another format', { type: 'quads' }, {}, /is text\/plain; quads are read from text\/turtle/],
    ['broken Turtle', { type: 'quads' }, { type: 'text/turtle' }, /is not valid text\/turtle/],
  ])('refuses %s', async (_what, wanted, present, message) => {
    Object.assign(resource, present);
    await expect(read(wanted)).rejects.toThrow(message);
  });

  test('refuses a body without an end', async () => {
    server.everything({ body: 'x'.repeat(1_000_000), endless: true });
    await expect(read()).rejects.toThrow(/larger than 50000000 bytes/);
  });
});

describe('writing', () => {
  test('keeps the type in which the resource was read', async () => {
    resource.type = 'text/turtle';
    await read();
    await write('<a> <b> <c>.');
    expect(resource).toMatchObject({ body: '<a> <b> <c>.', type: 'text/turtle' });
    await write([1], { type: 'json' });
    expect(resource).toMatchObject({ body: '[1]', type: 'application/json' });
  });

  test('refuses quads in a media type that is not Turtle', async () => {
    const quads = (mime: string) => write([], { type: 'quads', mime });
    await expect(quads('application/ld+json')).rejects.toThrow(/quads are written as Turtle/);
    expect(sent('PUT')).toEqual([]);
    await quads('text/turtle; charset=utf-8');
    expect(resource.type).toBe('text/turtle; charset=utf-8');
  });

  test('makes a resource that is not there', async () => {
    resource.version = 0;
    const data = { a: 'ü' };
    expect(await write(data, { type: 'json' })).toBe(data);
    expect(resource).toMatchObject({ body: '{"a":"ü"}', type: 'application/json' });
  });

  test('does not overwrite what somebody else wrote since it was read', async () => {
    await read();
    Object.assign(resource, { body: 'theirs', version: 2 });
    await expect(write('mine')).rejects.toMatchObject({ reason: 'conflict' });
    expect(resource.body).toBe('theirs');
    await read();
    await write('mine');
    await write('mine again');
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
    await append('+mine');
    expect(resource.body).toBe('one+two+three+mine');
  });

  test('many at once all arrive', async () => {
    const items = ['a', 'b', 'c', 'd', 'e'];
    await Promise.all(items.map((data) => append(data)));
    expect([...resource.body.slice(3)].sort()).toEqual(items);
  });

  test('to nothing makes the resource, unless somebody else makes it first', async () => {
    resource.version = 0;
    meanwhile = () => {
      if (resource.version === 0) Object.assign(resource, { body: 'theirs', version: 1 });
    };
    await append('+mine');
    expect(resource.body).toBe('theirs+mine');
  });

  test('bytes', async () => {
    await append(new Uint8Array([33]), { type: 'uint8array' });
    expect(resource.body).toBe('one!');
  });

  test('gives up after eight attempts', async () => {
    meanwhile = () => {
      resource.version += 1;
    };
    await expect(append('x')).rejects.toMatchObject({ reason: 'conflict' });
    expect([sent('PUT').length, resource.body]).toEqual([8, 'one']);
  });

  const node = (value: string) => ({ termType: 'NamedNode', value });
  const quad = (object: object, graph: object = { termType: 'DefaultGraph', value: '' }) =>
    ({ subject: node('http://s'), predicate: node('http://p'), object, graph }) as Quad;
  const quads = (...data: Quad[]) => append(data, { type: 'quads' });

  test('quads is an insertion that the server makes', async () => {
    await quads(quad({ termType: 'Literal', value: 'a "b"\n}', language: '' }));
    const inserted = 'solid:inserts { <http://s> <http://p> "a \\u0022b\\u0022\\u000a}" .\n }.';
    expect(sent('PATCH')).toMatchObject([
      { headers: { 'content-type': 'text/n3' }, body: expect.stringContaining(inserted) },
    ]);
    expect(sent('PUT')).toEqual([]);
  });

  test.each<[string, boolean, object, RegExp]>([
    ['the server knows no patches', false, node('http://o'), /<http:\/\/o> \.\n$/],
    ['they have blank nodes', true, { termType: 'BlankNode', value: 'b0' }, /_:n\d+x\d+xb0 \.\n$/],
  ])('quads is a rewrite when %s', async (_why, patches, object, line) => {
    Object.assign(resource, { body: '<a> <b> _:b0 .', type: 'text/turtle', patches });
    await quads(quad(object));
    expect(resource.body).toMatch(/^<a> <b> _:b0 \.\n<http:\/\/s> <http:\/\/p> /);
    expect(resource.body).toMatch(line);
  });

  const jsonLd = { body: '{}', type: 'application/ld+json', patches: false };
  test.each<[string, object, () => Promise<unknown>, RegExp]>([
    ['where the server has no versions', { tags: false }, () => append('x'), /no strong ETag/],
    [
      'to JSON, which has no end',
      { type: 'application/json' },
      () => append([2], { type: 'json' }),
      /no end to append to/,
    ],
    [
      'of quads to what is not Turtle',
      jsonLd,
      () => quads(quad(node('http://o'))),
      /is application\/ld\+json; quads are added to Turtle/,
    ],
    ['of quads of a named graph', {}, () => quads(quad(node('http://o'), node('http://g'))), /named graph/],
  ])('is refused before anything is written: %s', async (_what, present, appending, message) => {
    Object.assign(resource, present);
    const before = resource.body;
    await expect(appending()).rejects.toThrow(message);
    expect([resource.body, sent('PUT')]).toEqual([before, []]);
  });
});
