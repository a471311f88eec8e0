import { describe, expect, test } from 'vitest';
import { Followers } from '../../../src/http/operations/followers.js';
import { userAgentOf } from '../../../src/lib/user-agent.js';
import { createTestApp } from '../../acceptance/adapters/registry-app.js';

const DAY = 24 * 60 * 60 * 1000;

/** Followers under a clock that the test moves. */
function followers() {
  const time = { now: Date.UTC(2026, 0, 1) };
  return { time, followers: new Followers({ now: () => time.now }) };
}
const agent = (url: string, version = '1.2.3') => userAgentOf({ url, version });

describe('the nodes that read this one', () => {
  test('are those whose User-Agent says so, each once, the latest first', () => {
    const { time, followers: seen } = followers();
    seen.note(agent('https://a.example'));
    seen.note(agent('https://b.example/registry'));
    time.now += 1000;
    seen.note(agent('https://a.example', '1.3.0'));
    const began = time.now - 1000;
    expect(seen.list()).toEqual([
      { url: 'https://a.example', version: '1.3.0', firstSeen: began, lastSeen: time.now, requests: 2 },
      { url: 'https://b.example/registry', version: '1.2.3', firstSeen: began, lastSeen: began, requests: 1 },
    ]);
  });

  test.each([
    '',
    'Mozilla/5.0 (X11; Linux x86_64)',
    'curl/8.0',
    'component-registry-node',
    'component-registry-node/1.0',
    'component-registry-node/1.0 (+javascript:alert(1))',
    'component-registry-node/1.0 (+https://a.example/ b)',
    'component-registry-node/1.0 (+https://a.example) and more',
    `component-registry-node/${'1'.repeat(16_000)} (+https://a.example)`,
    `component-registry-node/1.0 (+https://a.example/${'x'.repeat(16_000)})`,
  ])('are not those that say %j', (userAgent) => {
    const { followers: seen } = followers();
    seen.note(userAgent);
    expect(seen.list()).toEqual([]);
  });

  test('are 100 at most, and inventing others crowds out no regular one', () => {
    const { time, followers: seen } = followers();
    for (let i = 0; i < 3; i++) seen.note(agent('https://regular.example'));
    for (let i = 0; i < 1000; i++) seen.note(agent(`https://invented.example/${i}`));
    expect(seen.list()).toHaveLength(100);
    expect(seen.list().map(({ url }) => url)).toContain('https://regular.example');
    // The newest is always there, and who has gone for a week is forgotten.
    expect(seen.list()[0]?.url).toBe('https://invented.example/999');
    time.now += 7 * DAY;
    expect(seen.list()).toEqual([]);
    for (let i = 0; i < 10; i++) seen.note(agent(`https://new.example/${i}`));
    expect(seen.list()).toHaveLength(10);
  });

  test('stand in the status, on the network page and in the metrics', async () => {
    const { time, followers: seen } = followers();
    seen.note(agent('https://reader.example/<b>'));
    const { app } = await createTestApp({}, { followers: () => seen.list() });
    const { readers: told } = (await (await app.request('/status')).json()) as { readers: unknown };
    const at = new Date(time.now).toISOString();
    expect(told).toEqual([
      { url: 'https://reader.example/<b>', version: '1.2.3', firstSeen: at, lastSeen: at, requests: 1 },
    ]);
    const page = await (await app.request('/network', { headers: { accept: 'text/html' } })).text();
    expect(page).toContain('Who reads this node');
    // Whoever wrote the address is a stranger: it is text, and no link.
    expect(page).toContain('https://reader.example/&lt;b&gt;');
    expect(page).not.toContain('href="https://reader.example');
    expect(await (await app.request('/metrics')).text()).toMatch(/^registry_readers 1$/m);
  });
});
