/**
 * A small network to look at: a Solid pod server with sample metadata, three nodes in a line and a read-only
 * mirror, all on free ports of this machine. Ctrl-C stops it and leaves nothing behind.
 */

import { endOnSignals } from '../src/cli/signals.js';
import { systemClock } from '../src/lib/clock.js';
import { explain } from '../src/lib/faults.js';
import { Unwinding } from '../src/node/unwinding.js';
import { PUBLIC_COMPONENTS } from '../test/support/pod/sample-pod.js';
import { SAMPLE_COMPONENTS } from '../test/support/sample-components.js';
import { waitFor } from '../test/support/wait-for.js';
import { components, labelOf, publish, unpublish } from './network/reading.js';
import { type SmallNetwork, startSmallNetwork } from './network/small-network.js';

const HELLO = {
  uri: 'https://components.example.org/hello/1.0.0/hello.js',
  label: 'Hello',
  tag: ['greeting'],
  shapes: ['https://shapes.example.org/Person'],
};
/** In the pod: documents that only describe, and components that can be loaded, too. */
const IN_POD = PUBLIC_COMPONENTS.length + SAMPLE_COMPONENTS.length;
/** A few polls, on a slow machine. */
const PATIENCE = { timeoutMs: 60_000 };

const began = performance.now();
const unwinding = new Unwinding();
let stopping = false;

function tell(line: string): void {
  console.log(`${((performance.now() - began) / 1000).toFixed(1).padStart(5)} s  ${line}`);
}

endOnSignals({
  stop: () => {
    stopping = true;
    return unwinding.unwind();
  },
  process,
  clock: systemClock,
  log: {
    info: () => console.log('\nstopping …'),
    fatal: (details, message) => console.error(message, details),
  },
  graceMs: 15_000,
});

try {
  tell('starting a pod server and four nodes: half a minute, and the first time two minutes more …');
  const network = await startSmallNetwork(unwinding, tell);
  await watch(network);
  console.log(whatToLookAt(network));
} catch (error) {
  if (!stopping) {
    console.error(`the network did not start: ${explain(error)}`);
    await unwinding.unwind();
    process.exitCode = 1;
  }
}

/** Follows a component from one end to the other, its deletion, and edits of a document in the pod. */
async function watch({ nodes, mirror, edit }: SmallNetwork): Promise<void> {
  const all = { ...nodes, mirror };
  const everywhere = async (count: number) => {
    for (const [name, url] of Object.entries(all)) {
      await waitFor(async () => (await components(url)).length === count, {
        ...PATIENCE,
        describe: `${count} components on ${name}`,
      });
      tell(`${name.padEnd(7)} lists ${count} components`);
    }
  };
  tell(`waiting until every node has heard of the ${IN_POD} components in the pod …`);
  await everywhere(IN_POD);
  await publish(nodes.alpha, HELLO);
  tell(`published ${HELLO.uri} on alpha`);
  await everywhere(IN_POD + 1);
  await unpublish(nodes.alpha, HELLO.uri);
  tell('deleted it again on alpha');
  await everywhere(IN_POD);
  for (const label of ['News', 'News, edited', 'News, edited once more']) {
    const uri = await edit(label);
    const written = performance.now();
    tell(`wrote a document in the pod: "${label}"`);
    await Promise.all(
      Object.entries(all).map(async ([name, url]) => {
        await waitFor(async () => (await labelOf(url, uri)) === label, {
          ...PATIENCE,
          describe: `"${label}" on ${name}`,
        });
        tell(`${name.padEnd(7)} shows it after ${Math.round(performance.now() - written)} ms`);
      }),
    );
  }
}

function whatToLookAt(network: SmallNetwork): string {
  const { pod, nodes, mirror } = network;
  const { alpha, gamma } = nodes;
  const hello = JSON.stringify(HELLO);
  return `
The network is up. Look at it in a browser:

  ${gamma}/        gamma: its components, and through whom it knows each source
  ${alpha}/        alpha: the pod's documents, and what is wrong with one of them
  ${mirror}/        the mirror
  ${tryPage(network)}
        a component of the pod, with data of the pod, in a sandbox

or on the command line:

  curl ${gamma}/component
  curl -H 'Accept: text/turtle' ${gamma}/peers
  curl ${gamma}/status
  curl -H 'Content-Type: application/json' -d '{"tag":"greeting"}' ${mirror}/component/query

Publish a component on alpha, and see it on the mirror a few seconds later:

  curl -H 'Content-Type: application/json' -d '${hello}' ${alpha}/component
  curl ${mirror}/c/${HELLO.uri}

The pod: ${pod}
Ctrl-C stops everything.`;
}

function tryPage({ pod, nodes }: SmallNetwork): string {
  const entry = new URL('../data/alice.ttl', pod).href;
  return `${nodes.gamma}/c/${encodeURIComponent(`${pod}samples/profile-card.js`)}?${new URLSearchParams({ entry })}`;
}
