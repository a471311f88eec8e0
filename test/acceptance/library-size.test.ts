import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { type InProcessNode, startInProcess } from './adapters/in-process-node.js';

/** What a page loads before it shows a component, in kB as a server compresses it. */
const MOST = { '/host.js': 26, '/host-frame.js': 12, '/embed.js': 1 } as const;

test('what a page loads to show one component is small: parsers come when they are needed', async () => {
  const node: InProcessNode = await startInProcess();
  for (const [path, kilobytes] of Object.entries(MOST)) {
    const answer = await fetch(node.url + path);
    expect(answer.status, path).toBe(200);
    const bytes = gzipSync(new Uint8Array(await answer.arrayBuffer())).length;
    expect(bytes / 1000, `${path}, kB compressed`).toBeLessThanOrEqual(kilobytes);
  }
});
