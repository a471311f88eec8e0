import { Parser, type Quad } from 'n3';
import { expect, it } from 'vitest';
import { installed } from '../support/install-packages.js';
import { publish, unpublish } from '../support/node/node-reader.js';
import { startForTest } from '../support/run-program.js';
import { tempDir } from '../support/temp-dir.js';
import { waitFor } from '../support/wait-for.js';
import { startInProcess } from './adapters/in-process-node.js';

const AS = 'https://www.w3.org/ns/activitystreams#';
const VOC = 'http://semcom.digita.ai/voc#';
const uriOf = (name: string | number) => `https://c.example/${name}.js`;
const many = (count: number, label: string) =>
  Array.from({ length: count }, (_, i) => ({ uri: uriOf(`${label}${i}`), label }));

/** A member of the stream as the client prints it. */
interface PrintedMember {
  readonly type: string;
  /** The component that it is about, and what it is a version of. */
  readonly uri: string;
  readonly versionOf: string;
  /** In the order of commits. */
  readonly position: number;
  /** Of the component; empty for a removal. */
  readonly label: string;
  /** What stands in the graph of its name. */
  readonly payload: readonly Quad[];
}

function printedMember(quads: readonly Quad[]): PrintedMember {
  const value = (predicate: string) =>
    quads.find((quad) => quad.predicate.value === predicate)?.object.value ?? '';
  return {
    type: quads.find(({ object }) => object.value.startsWith(AS))?.object.value.slice(AS.length) ?? '',
    uri: value(`${AS}object`),
    versionOf: value('http://purl.org/dc/terms/isVersionOf'),
    position: Number(value(`${VOC}position`)),
    label: value(`${VOC}label`),
    payload: quads.filter(({ graph }) => graph.value !== ''),
  };
}

/** Runs the program that `npx ldes-client <url>` runs. Gives what it has complained of, and the members that it has printed whole. */
async function startClient(url: string) {
  const cwd = await installed('test/ldes-client', 59);
  const bin = `${cwd}node_modules/.bin/ldes-client`;
  const { said } = startForTest(
    [process.execPath, bin, url, '--follow', '--poll-interval', '100'],
    // It keeps what it has seen in the folder for temporary files.
    { env: { TMPDIR: await tempDir() }, cwd },
  );
  const printed = new Map<string, Quad[]>();
  let read = 0;
  return {
    complaints: () => said().match(/^[^<_\n].*error.*$/gim) ?? [],
    members(): PrintedMember[] {
      const end = said().lastIndexOf('\n') + 1;
      const lines =
        said()
          .slice(read, end)
          .match(/^[<_].*$/gm) ?? [];
      read = end;
      for (const quad of new Parser().parse(lines.join('\n'))) {
        const member = quad.graph.value === '' ? quad.subject.value : quad.graph.value;
        printed.set(member, [...(printed.get(member) ?? []), quad]);
      }
      // A removal says nothing more than what it is; everything else has a label.
      return [...printed.values()]
        .map(printedMember)
        .filter(({ type, uri, label }) => (type === 'Delete' ? uri !== '' : label !== ''));
    },
  };
}

/** What a reader of members has who applies them in their order: uris and labels, sorted. */
function applied(members: readonly PrintedMember[]): [uri: string, label: string][] {
  const labels = new Map<string, string>();
  for (const { type, uri, label } of [...members].sort((one, other) => one.position - other.position)) {
    if (type === 'Delete') labels.delete(uri);
    else labels.set(uri, label);
  }
  return [...labels].sort(([one], [other]) => (one < other ? -1 : 1));
}

it('ldes-client, as npx runs it, replicates the feed and follows it: additions, updates, deletions', async () => {
  const node = await startInProcess({ config: { write: 'operator', limits: { batch: 10_000 } } });
  // More than one node of the event stream has.
  await publish(node, ...many(1030, 'first'));
  await unpublish(node, uriOf('first7'));
  const client = await startClient(`${node.url}/feed`);
  /** All that the node serves, and nothing else. */
  const isInStep = async () => {
    const served = await node.getJson<{ uri: string; label: string }[]>('/component');
    const wanted = served.map(({ uri, label }) => [uri, label]);
    return JSON.stringify(applied(client.members())) === JSON.stringify(wanted);
  };
  const arrived = (type: string) =>
    waitFor(() => client.members().find((member) => member.type === type && member.uri === uriOf('new')), {
      describe: () => `${type}; ${client.complaints().join('; ')}`,
    });
  await waitFor(isInStep);
  expect(client.members().filter(({ type }) => type === 'Delete')).toHaveLength(1);

  await publish(node, { uri: uriOf('new'), label: 'New' });
  const added = await arrived('Create');
  await publish(node, { uri: uriOf('new'), label: 'Newer' }, { uri: uriOf('first8'), label: 'Eight' });
  const updated = await arrived('Update');
  await unpublish(node, uriOf('new'));
  const removed = await arrived('Delete');
  expect(new Set([added, updated, removed].map((member) => member?.versionOf)).size).toBe(1);
  expect(removed?.payload).toEqual([]);
  await publish(node, ...many(250, 'more'));
  await waitFor(isInStep);
  expect(client.complaints()).toEqual([]);
});
