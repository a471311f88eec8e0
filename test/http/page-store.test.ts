import { describe, expect, it } from 'vitest';
import { PageStore, type StoredPage } from '../../src/http/page-store.js';

const made = (bytes: number) => ({ headers: {}, body: new Uint8Array(bytes) });
const MB = 1_000_000;

/** Reads a body to its end, or for so many pieces. */
async function read(
  body: ReturnType<StoredPage['send']>,
  pieces = Number.POSITIVE_INFINITY,
): Promise<number> {
  if (body instanceof Uint8Array) return body.length;
  let bytes = 0;
  let count = 0;
  for await (const piece of body) {
    bytes += piece.length;
    count += 1;
    if (count === pieces) break;
  }
  return bytes;
}

describe('PageStore', () => {
  it('makes a page once for all who ask for it in one state, at the same time or later', async () => {
    const store = new PageStore();
    const state = {};
    let count = 0;
    const make = async () => {
      count += 1;
      return made(200_000);
    };
    const [one, other] = await Promise.all([store.get('a', state, make), store.get('a', state, make)]);
    expect(one).toBe(other);
    expect(await store.get('a', state, make)).toBe(one);
    expect(count).toBe(1);
    await store.get('b', state, make);
    await store.get('a', {}, make);
    expect(count).toBe(3);
  });

  it('frees a page once its state is over and it has been sent, or its reader has gone', async () => {
    const store = new PageStore();
    const make = async () => made(MB);
    const [first, second] = [await store.get('a', 1, make), await store.get('a', 1, make)];
    expect(store.bytes).toBe(MB);
    const sending = first.send();
    await read(second.send(), 2);
    await store.get('b', 2, async () => made(0));
    expect(store.bytes).toBe(MB);
    expect(await read(sending)).toBe(MB);
    expect(store.bytes).toBe(0);
  });

  it('frees the page of a reader that goes before the first byte', async () => {
    const store = new PageStore();
    const page = await store.get('a', 1, async () => made(MB));
    await store.get('b', 2, async () => made(0));
    const body = page.send();
    if (body instanceof Uint8Array) throw new Error('such a page is sent in pieces');
    await body[Symbol.asyncIterator]().return?.();
    expect(store.bytes).toBe(0);
  });

  it('keeps no more than a few pages for others', async () => {
    const store = new PageStore();
    for (let i = 0; i < 40; i++) {
      const page = await store.get(`${i}`, 1, async () => made(MB));
      page.release();
    }
    expect(store.bytes).toBeLessThanOrEqual(8 * MB);
  });

  it('asks for shorter pages when readers are slow, so that all together have bounded memory', async () => {
    const store = new PageStore();
    const asked: number[] = [];
    const bodies: ReturnType<StoredPage['send']>[] = [];
    for (let i = 0; i < 1000; i++) {
      const page = await store.get(`${i}`, 1, async (maxBytes) => {
        asked.push(maxBytes);
        return made(maxBytes);
      });
      bodies.push(page.send());
    }
    expect(asked[0]).toBe(4 * MB);
    expect(asked.at(-1)).toBe(65_536);
    expect(store.bytes).toBeLessThan(100 * MB);
    for (const body of bodies) await read(body, 1);
    expect(store.bytes).toBeLessThanOrEqual(8 * MB);
    await store.get('again', 1, async (maxBytes) => made(asked.push(maxBytes)));
    expect(asked.at(-1)).toBe(4 * MB);
  });

  it('bounds pages that are made at the same time, too', async () => {
    const store = new PageStore();
    const asked: number[] = [];
    const open: (() => void)[] = [];
    const all = Array.from({ length: 1000 }, (_, i) =>
      store.get(`${i}`, 1, async (maxBytes) => {
        asked.push(maxBytes);
        await new Promise<void>((resolve) => open.push(resolve));
        return made(1);
      }),
    );
    expect(asked.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(100 * MB);
    for (const one of open) one();
    await Promise.all(all);
  });

  it('forgets a page that could not be made', async () => {
    const store = new PageStore();
    const fails = async () => {
      throw new Error('no');
    };
    await expect(store.get('a', 1, fails)).rejects.toThrow('no');
    expect(store.bytes).toBe(0);
    expect((await store.get('a', 1, async () => made(5))).bytes).toBe(5);
  });
});
