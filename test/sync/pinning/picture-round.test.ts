import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Clock } from '../../../src/lib/clock.js';
import { cleanPicture } from '../../../src/lib/picture/clean-picture.js';
import type { Description } from '../../../src/registry/description.js';
import { Pictures } from '../../../src/store/pictures.js';
import { PictureRound } from '../../../src/sync/pinning/picture-round.js';
import { fakeServer } from '../../support/fake-server.js';
import { door } from '../../support/guarded-doors.js';
import { component } from '../../support/registry.js';
import { tempDir } from '../../support/temp-dir.js';
import { JPEG, PNG } from '../../support/tiny-pictures.js';

const DAY = 24 * 3_600_000;

async function rig(allowPrivate = true) {
  const server = await fakeServer();
  const folder = join(await tempDir(), 'pictures');
  const pictures = await Pictures.open(folder);
  let now = Date.UTC(2026, 0, 1);
  const clock: Clock = { now: () => now, sleep: async (_ms, signal) => signal?.throwIfAborted() };
  const pass = (ms: number) => {
    now += ms;
  };
  const parts = { pictures, fetch: door({ allowPrivate }), clock, log: { debug: () => undefined } };
  const round = new PictureRound({ ...parts, times: { pause: 0, check: DAY } });
  const image = server.url('/look.png');
  const look = () => round.look([described(image)], AbortSignal.timeout(10_000));
  const serve = (body: Buffer, etag: string) =>
    server.on('/look.png', { headers: { 'content-type': 'image/png' }, body, etag });
  return { server, folder, pictures, pass, round, image, look, serve };
}

function described(image: string): Description {
  return { metadata: component('a', { image }), source: { kind: 'local' } } as unknown as Description;
}

test('a picture is fetched once, asked for again after a while, and follows its next reading', async () => {
  const { server, folder, pictures, pass, look, image, serve } = await rig();
  serve(PNG, '"one"');
  await look();
  await look();
  expect(server.requests.length).toBe(1);
  expect((await pictures.read(image))?.bytes).toEqual(cleanPicture(PNG).bytes);
  expect((await (await Pictures.open(folder)).read(image))?.type).toBe('image/png');
  pass(DAY);
  await look();
  expect(server.requests[1]?.headers['if-none-match']).toBe('"one"');
  const { revision } = pictures;
  serve(JPEG, '"two"');
  pass(DAY);
  await look();
  expect((await pictures.read(image))?.type).toBe('image/jpeg');
  expect(pictures.revision).toBeGreaterThan(revision);
});

test('what is no picture any more is taken back; a server that fails says nothing of it', async () => {
  const { server, pictures, pass, look, image, serve, round } = await rig();
  serve(PNG, '"one"');
  await look();
  pass(DAY);
  server.on('/look.png', { status: 503 });
  await look();
  expect(pictures.has(image)).toBe(true);
  pass(DAY);
  serve(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), '"svg"');
  await look();
  expect(pictures.has(image)).toBe(false);
  pass(DAY);
  serve(PNG, '"again"');
  await look();
  expect(pictures.has(image)).toBe(true);
  await round.sweep(new Set([image]));
  expect(pictures.has(image)).toBe(true);
  await round.sweep(new Set());
  expect(await pictures.read(image)).toBeUndefined();
});

test('private addresses are not asked, and what is too large is not taken', async () => {
  const guarded = await rig(false);
  guarded.serve(PNG, '"one"');
  await guarded.look();
  expect([guarded.server.requests.length, guarded.pictures.has(guarded.image)]).toEqual([0, false]);
  const large = await rig();
  large.serve(Buffer.concat([PNG, Buffer.alloc(500_000)]), '"large"');
  await large.look();
  expect(large.pictures.has(large.image)).toBe(false);
});
