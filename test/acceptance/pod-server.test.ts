import { beforeAll, describe, expect, test } from 'vitest';
import { fillPod, SAMPLE_DOCUMENTS } from '../support/pod/sample-pod.js';
import { SharedPod } from '../support/pod/shared-pod.js';

const CONTAINER = 'samples/components/';

let server: SharedPod;
beforeAll(async () => {
  server = await SharedPod.open('samples');
  await fillPod(server, CONTAINER);
});

function read(path: string): Promise<Response> {
  return fetch(server.url + CONTAINER + path, { headers: { accept: 'text/turtle' } });
}

describe('the pod server that scenarios stand on', () => {
  test('holds the ten documents, and lists the private one too', async () => {
    const listings = await Promise.all(
      ['', 'productivity/', 'productivity/calendar/'].map(async (path) => (await read(path)).text()),
    );
    for (const { path } of SAMPLE_DOCUMENTS) {
      expect(listings.join()).toContain(`<${encodeURI(path.slice(path.lastIndexOf('/') + 1))}>`);
    }
    expect(SAMPLE_DOCUMENTS).toHaveLength(10);
  });

  test('gives the private document to its owner only', async () => {
    const path = 'medication-plan.ttl';
    expect((await read(path)).status).toBe(401);
    const answer = await server.owner('samples').fetch(server.url + CONTAINER + path);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('Medication plan');
  });

  test('hides an edit behind the ETag of its container', async () => {
    const before = await read('');
    await server.put(`${CONTAINER}address-book.ttl`, '# rewritten', 'text/turtle');
    const after = await read('');
    expect(after.headers.get('etag')).toBe(before.headers.get('etag'));
    expect(await after.text()).not.toBe(await before.text());
  });

  test('has its requests recorded', async () => {
    await server.take();
    const body = await (await read('recipe.ttl')).text();
    expect(await server.take()).toEqual([
      {
        method: 'GET',
        path: `/${CONTAINER}recipe.ttl`,
        authenticated: false,
        status: 200,
        bytes: body.length,
      },
    ]);
  });
});
