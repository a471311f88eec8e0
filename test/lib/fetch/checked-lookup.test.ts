import type { LookupAddress, LookupOptions } from 'node:dns';
import { describe, expect, it, vi } from 'vitest';
import { checkedLookup, fewAtOnce, type Lookup } from '../../../src/lib/fetch/checked-lookup.js';

const PUBLIC = { address: '93.184.215.14', family: 4 };
const PUBLIC_6 = { address: '2606:2800:21f::1', family: 6 };
const LOOPBACK = { address: '127.0.0.1', family: 4 };

function ask(lookup: Lookup, publicOnly = true, options: LookupOptions = { all: true }) {
  return new Promise<{ address: string | LookupAddress[]; family: number | undefined }>((resolve, reject) => {
    checkedLookup(lookup, publicOnly)('pod.test', options, (error, address, family) => {
      if (error) reject(error);
      else resolve({ address, family });
    });
  });
}

describe('checkedLookup', () => {
  it('hands on the very addresses that it checked', async () => {
    const lookup = vi.fn(async () => [PUBLIC_6, PUBLIC]);
    await expect(ask(lookup)).resolves.toEqual({ address: [PUBLIC_6, PUBLIC], family: undefined });
    expect(lookup).toHaveBeenCalledTimes(1);
  });

  it('hands on one address to callers that want one', async () => {
    await expect(ask(async () => [PUBLIC, PUBLIC_6], true, {})).resolves.toEqual(PUBLIC);
  });

  it('refuses a name when one of its addresses is refused', async () => {
    await expect(ask(async () => [PUBLIC, LOOPBACK])).rejects.toMatchObject({ reason: 'refused' });
  });

  it('checks again at each connection, so that a name that moves gets nowhere', async () => {
    const answers = [[PUBLIC], [LOOPBACK]];
    const rebinding = async () => answers.shift() ?? [];
    await expect(ask(rebinding)).resolves.toMatchObject({ address: [PUBLIC] });
    await expect(ask(rebinding)).rejects.toMatchObject({ reason: 'refused' });
  });

  it.each([
    ['fails', async () => Promise.reject(new Error('ENOTFOUND'))],
    ['finds nothing', async () => []],
  ])('says so when the resolver %s', async (_, lookup) => {
    await expect(ask(lookup)).rejects.toMatchObject({ reason: 'unresolved', message: /pod\.test/ });
  });
});

it('names that nobody answers for hold two threads at most, and others follow when one is free', async () => {
  const asked: string[] = [];
  const free: (() => void)[] = [];
  const lookup = fewAtOnce(async (name) => {
    asked.push(name);
    await new Promise<void>((resolve) => free.push(resolve));
    return [PUBLIC];
  });
  const all = ['a', 'b', 'c'].map(lookup);
  expect(asked).toEqual(['a', 'b']);
  free[0]?.();
  await all[0];
  await vi.waitFor(() => expect(asked).toEqual(['a', 'b', 'c']));
  for (const end of free) end();
  await Promise.all(all);
});
