import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cleanPicture } from '../../../src/lib/picture/clean-picture.js';
import { Pictures } from '../../../src/store/pictures.js';
import { browse } from '../../support/explorer-pages.js';
import { component, createTestApp } from '../../support/registry-app.js';
import { tempDir } from '../../support/temp-dir.js';
import { PNG } from '../../support/tiny-pictures.js';

test('pages show the copy of a picture that this node has, and never the address of its author', async () => {
  const pictures = await Pictures.open(join(await tempDir(), 'pictures'));
  const app = await createTestApp({}, { pictures });
  const [uri, image] = ['https://c.example/a.js', 'https://c.example/look.png'];
  await app.registry.upsertLocal([component(uri, { label: 'Card', image, shapes: ['urn:x:Card'] })]);
  const page = async (path: string) => (await browse(app, path)).text();
  const [address, one] = [`/image?${new URLSearchParams({ uri })}`, `/c/${encodeURIComponent(uri)}`];
  expect((await app.app.request(address)).status).toBe(404);
  expect(await page('/')).not.toContain('<img');
  const before = (await browse(app, one)).headers.get('etag');
  await pictures.write(image, cleanPicture(PNG));
  const answer = await app.app.request(address);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'image/png',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
  });
  expect(Buffer.from(await answer.arrayBuffer())).toEqual(cleanPicture(PNG).bytes);
  const again = await app.app.request(address, {
    headers: { 'if-none-match': String(answer.headers.get('etag')) },
  });
  expect(again.status).toBe(304);
  const img = `src="${address.replace('&', '&amp;')}" alt=""`;
  expect(await page('/')).toContain(img);
  expect(await page('/data?url=https://p.example/&shapes=urn:x:Card')).toContain(img);
  const shown = await browse(app, one);
  expect(await shown.text()).toContain('alt="What Card looks like"');
  expect(shown.headers.get('etag')).not.toBe(before);
  expect(await page(one)).not.toContain(`"${image}"`);
});
