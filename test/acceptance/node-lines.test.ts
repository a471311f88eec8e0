import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { installNodeLines, NODE_LINES_DIR } from '../support/install-packages.js';
import { prepareNode } from '../support/node/node-process.js';

beforeAll(installNodeLines);

const COMPONENT = {
  uri: 'https://author.example/card.js',
  label: 'Card',
  shapes: ['http://xmlns.com/foaf/0.1/Person'],
};

// The packages are built for this system and processor.
it.each(['node-22', 'node-24'])(
  'a node stores, finds, parses in its pool and starts again on %s',
  async (line) => {
    const modules = join(NODE_LINES_DIR, 'node_modules');
    expect(readdirSync(modules)).toContain(line);
    const execPath = join(modules, line, 'bin/node');
    expect(execFileSync(execPath, ['--version'], { encoding: 'utf8' })).toMatch(`v${line.slice(5)}.`);
    const node = await prepareNode({ execPath, config: { write: 'open' } });
    await node.start();
    const turtle = `<${COMPONENT.uri}> a <http://semcom.digita.ai/voc#Component>; <http://semcom.digita.ai/voc#label> "Card"; <http://semcom.digita.ai/voc#shapes> <${COMPONENT.shapes[0]}> .`;
    const posted = await send(`${node.url}/component`, 'text/turtle', turtle);
    expect([posted.status, await posted.text()]).toEqual([201, expect.stringContaining(COMPONENT.uri)]);
    await node.stop();
    await node.start();
    const query = JSON.stringify({ shapes: COMPONENT.shapes });
    const found = await send(`${node.url}/component/query`, 'application/json', query);
    expect(await found.json()).toEqual([expect.objectContaining({ label: 'Card' })]);
    await node.stop();
  },
);

function send(url: string, type: string, body: string): Promise<Response> {
  return fetch(url, { method: 'POST', headers: { 'content-type': type }, body });
}
