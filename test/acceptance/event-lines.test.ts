import { connect } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { cleanup } from '../support/cleanup.js';
import { heldPort } from '../support/held-port.js';
import type { AnyNode } from '../support/node/node-reader.js';
import { postJson } from '../support/node/post-json.js';
import { waitFor } from '../support/wait-for.js';
import { type InProcessNode, startInProcess } from './adapters/in-process-node.js';

/** A line of events as it comes over the wire. */
class Line {
  text = '';
  ended = false;
  readonly #socket;

  constructor(node: AnyNode, headers: Readonly<Record<string, string>> = {}) {
    this.#socket = connect(Number(new URL(node.url).port), '127.0.0.1').setEncoding('utf8');
    const all = Object.entries({ host: '127.0.0.1', accept: 'text/event-stream', ...headers });
    this.#socket.write(
      `GET /feed HTTP/1.1\r\n${all.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
    );
    this.#socket
      .on('data', (text) => {
        this.text += text;
      })
      .on('end', () => {
        this.ended = true;
      })
      .on('error', () => undefined);
    cleanup(() => this.close());
  }

  get events(): [id: string, data: string][] {
    return [...this.text.matchAll(/^id: (.*)\ndata: (.*)\n\n/gm)].map(([, id = '', data = '']) => [id, data]);
  }

  close(): void {
    this.#socket.destroy();
  }
}

let changes = 0;
const change = (node: AnyNode) => {
  changes += 1;
  const body = { uri: 'https://c.example/a.js', label: `Label ${changes}` };
  return fetch(`${node.url}/component`, postJson(body));
};
const cursor = async (node: AnyNode) => (await fetch(`${node.url}/feed`)).headers.get('feed-cursor') ?? '';
async function metric(node: AnyNode, name: string): Promise<number> {
  const text = await (await fetch(`${node.url}/metrics`)).text();
  return Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1]);
}

describe('lines of events of a node', () => {
  let node: InProcessNode;
  beforeAll(async () => {
    node = await startInProcess({ config: { write: 'open', limits: { eventLines: 3 } } });
    await change(node);
  });

  it('are what an EventSource reads, which goes on where it was when the node comes back', async () => {
    const { EventSource } = await import('undici');
    const own = await startInProcess({ config: { write: 'open', listen: { port: await heldPort() } } });
    await change(own);
    const source = new EventSource(`${own.url}/feed`);
    cleanup(() => source.close());
    const heard: unknown[] = [];
    source.onmessage = ({ data, lastEventId }) => heard.push([data, lastEventId]);
    const first = await cursor(own);
    await waitFor(() => heard.length === 1);
    await own.stop();
    await own.restart();
    await waitFor(async () => (await metric(own, 'registry_feed_readers')) === 1);
    await change(own);
    const second = await cursor(own);
    await waitFor(() => heard.length === 2);
    expect(heard).toEqual([
      [first, first],
      [second, second],
    ]);
  });

  it('end when the node stops, which does not take longer for them', async () => {
    const lines = [new Line(node), new Line(node)];
    await waitFor(() => lines.every(({ events }) => events.length === 1));
    await node.stop();
    await waitFor(() => lines.every(({ ended }) => ended));
    // Those that are cut when the time for requests in flight is over have no last chunk.
    for (const { text } of lines) expect(text).toMatch(/\r\n0\r\n\r\n$/);
  });
});
