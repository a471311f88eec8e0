import { expect, it } from 'vitest';
import type { ListedAddress } from '../../src/component/network-list.js';
import { sameBaseUrl } from '../../src/config/url.js';
import { inTurns, ListChecker } from '../../src/core/offer.js';

const entry = (url: string, hops = 0): ListedAddress => ({ url, hops, via: [] });
const many = (host: string) =>
  Array.from({ length: 5000 }, (_, i) => entry(`https://${host}-${String(i).padStart(4, '0')}.example`));

it('looks at no more of a long list than is taken up and known', () => {
  let looked = 0;
  const offers = ['a', 'b'].map((host) => {
    const entries = many(host);
    const inOrder = new Proxy(entries, {
      get(target, key) {
        if (typeof key === 'string' && /^\d+$/.test(key)) looked += 1;
        return Reflect.get(target, key);
      },
    });
    const byUrl = new Map(entries.map((one) => [one.url, one]));
    return { introducer: entry(`https://${host}.example`), addresses: { inOrder, byUrl } };
  });
  const known = new Map(many('a').map(({ url }, i) => [i < 20 ? url : `${url}/other`, true]));
  const taken = inTurns(offers, known, 10);
  expect(taken.map(({ url }) => url.slice('https://'.length, -'.example'.length))).toEqual([
    ...['a-0020', 'b-0000', 'a-0021', 'b-0001', 'a-0022', 'b-0002', 'a-0023', 'b-0003', 'a-0024', 'b-0004'],
  ]);
  expect(looked).toBeLessThan(40);
});

it('checks a list entry by entry, once, and offers each address once', () => {
  const asked: string[] = [];
  const lists = new ListChecker(sameBaseUrl, ({ url }) => {
    asked.push(url);
    return url.includes('bad') ? { reason: 'denied' } : 'taken';
  });
  const list = ['https://b.example', 'https://bad.example', 'https://a.example/', 'https://A.example'].map(
    (url) => entry(url),
  );
  const checking = lists.check(list);
  checking.next();
  checking.next();
  expect(asked).toEqual(['https://b.example']);
  expect([...checking]).toHaveLength(2);
  expect([...lists.check(list)]).toEqual([]);
  expect(lists.at(0, list)?.inOrder).toEqual([entry('https://a.example'), entry('https://b.example')]);
  expect(lists.at(1, list)).toBeUndefined();
  expect(lists.refused(list)).toEqual([{ url: 'https://bad.example', reason: 'denied' }]);
  expect(asked).toHaveLength(4);
});
