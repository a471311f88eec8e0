import { expect } from 'vitest';
import type { Random } from '../../src/lib/clock.js';
import type { Ledger, Said } from './ledger.js';
import { OPERATOR_TOKEN } from './node/node-reader.js';

/** Components that are always written together, in one request. */
export const BATCH = Array.from({ length: 10 }, (_, i) => `https://written.example/batch/${i}.js`);

let version = 0;

/** Writes, changes and removes single components, one after the other, until the node is gone. */
export async function writeSingly(url: string, ledger: Ledger, random: Random, name: string): Promise<void> {
  const write = async () => {
    const uri = `https://written.example/${name}/${Math.floor(random() * 12)}.js`;
    if (random() < 0.3) await ledger.record([uri], undefined, () => remove(url, uri));
    else await post(url, ledger, [uri]);
  };
  await untilCut(write);
}

/** Writes the batch again and again. */
export async function writeTogether(url: string, ledger: Ledger): Promise<void> {
  await untilCut(() => post(url, ledger, BATCH));
}

async function post(url: string, ledger: Ledger, uris: readonly string[]): Promise<void> {
  const said = `1.0.${++version}`;
  const body = JSON.stringify(
    uris.map((uri) => ({ uri, label: 'Written', version: said, tag: ['written'] })),
  );
  const headers = { 'content-type': 'application/json' };
  await ledger.record(uris, said, async () => {
    const answer = await fetch(`${url}/component`, { method: 'POST', headers, body });
    if (!answer.ok) throw new Error(`POST answered ${answer.status}: ${await answer.text()}`);
    // The status is the promise; the body is read only so that its connection can be used again.
    await answer.text().catch(() => undefined);
  });
}

async function remove(url: string, uri: string): Promise<void> {
  const answer = await fetch(`${url}/c/${uri}`, { method: 'DELETE' });
  if (answer.status !== 204 && answer.status !== 404) throw new Error(`DELETE answered ${answer.status}`);
}

const AS_OPERATOR = { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' };

/** Makes connections, each to a source of its own, and deletes every third again. */
export async function writeConnections(url: string, ledger: Ledger): Promise<void> {
  await untilCut(async () => {
    const source = `urn:crash:${++version}`;
    const body = JSON.stringify({ source, holder: 'urn:h', state: 'CONNECTED', configuration: {} });
    const uri = await ledger.record([source], 'CONNECTED', async () => {
      const answer = await fetch(`${url}/connection/`, { method: 'POST', headers: AS_OPERATOR, body });
      expect(answer.status).toBe(201);
      return ((await answer.json()) as { uri: string }).uri;
    });
    if (version % 3 !== 0) return;
    await ledger.record([source], undefined, async () => {
      const answer = await fetch(`${url}/connection/${uri}`, { method: 'DELETE', headers: AS_OPERATOR });
      expect(answer.status).toBeLessThan(300);
    });
  });
}

/** The states of all connections, by their sources. */
export async function connectionsAt(url: string): Promise<Map<string, Said>> {
  const answer = await fetch(`${url}/connection/`, { headers: AS_OPERATOR });
  const all = (await answer.json()) as { source: string; state: string }[];
  return new Map(all.map(({ source, state }) => [decodeURIComponent(source), state]));
}

/** Acts again and again until a connection is cut; every other error is one. */
export async function untilCut(act: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await act();
    } catch (error) {
      if (isCut(error)) return;
      throw error;
    }
  }
}

/** How `fetch` says that the other side is gone: before its answer or in the middle of it. */
export function isCut(error: unknown): boolean {
  return error instanceof TypeError && ['fetch failed', 'terminated'].includes(error.message);
}
