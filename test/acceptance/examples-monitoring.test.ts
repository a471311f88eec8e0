import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { TOP } from '../support/docs.js';
import { fakeServer } from '../support/fake-server.js';
import { sync } from '../support/node/node-reader.js';
import { EXAMPLES, replaced } from '../support/shipped-examples.js';
import { tempDir } from '../support/temp-dir.js';
import { type InProcessNode, startInProcess } from './adapters/in-process-node.js';

const FOLDER = `${EXAMPLES}monitoring/`;

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly summary: string };
}

const read = (name: string) => readFile(FOLDER + name, 'utf8');
const rules = async (): Promise<Rule[]> =>
  parse(await read('alert-rules.yml')).groups.flatMap((group: { rules: Rule[] }) => group.rules);
let node: InProcessNode;
beforeAll(async () => {
  const pod = await fakeServer();
  const turtle = { 'content-type': 'text/turtle' };
  const [type, label] = ['http://semcom.digita.ai/voc#component', 'http://semcom.digita.ai/voc#label'];
  const good = `<https://c.example/a.js> a <${type}>; <${label}> "A". <https://c.example/b.js> a <${type}>.`;
  pod.on('/good.ttl', { headers: turtle, body: good }).on('/bad.ttl', { status: 500 });
  node = await startInProcess({
    config: { pods: [pod.url('/good.ttl'), pod.url('/bad.ttl')], sync: { schedule: '* * * * * *' } },
  });
  await sync(node);
  await fetch(`${node.url}/component`);
});

describe('docs/examples/monitoring', () => {
  test('names only metrics that a running node has', async () => {
    const text = await (await fetch(`${node.url}/metrics`)).text();
    const families = [...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name);
    const files = await Promise.all(['alert-rules.yml', 'grafana-dashboard.json'].map(read));
    const named = files.join().match(/\bregistry_\w+/g) ?? [];
    expect(named.length).toBeGreaterThan(25);
    const unknown = named.filter((one) => !families.includes(one.replace(/_(bucket|sum|count)$/, '')));
    expect(unknown.filter((one) => !families.includes(one))).toEqual([]);
  });

  test('has rules that promtool takes, and that fire when they should', async () => {
    const tool = (...args: string[]) => promisify(execFile)('promtool', args);
    expect((await tool('check', 'config', `${FOLDER}prometheus.yml`)).stdout).toContain(
      `SUCCESS: ${(await rules()).length} rules found`,
    );
    const cases = replaced(await readFile(`${TOP}test/fixtures/alert-rules.test.yml`, 'utf8'), {
      RULES: `${FOLDER}alert-rules.yml`,
    });
    for (const { alert } of await rules()) expect(cases, alert).toContain(alert);
    const file = join(await tempDir(), 'alert-rules.test.yml');
    await writeFile(file, cases);
    expect((await tool('test', 'rules', file)).stdout).toContain('SUCCESS');
  });
});
