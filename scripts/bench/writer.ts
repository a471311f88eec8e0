/**
 * A registry in a process of its own, as a node opens it: `disk <directory>` or `postgres <url>`. Told an order, it stores
 * components, or parses a file with n3 alone, and says how long that took, in ms.
 */
import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { StreamParser } from 'n3';
import { openLevelPlace } from '../../src/keep/level/level-keep.js';
import { openPostgresPlace } from '../../src/keep/postgres/postgres-place.js';
import { systemClock } from '../../src/lib/clock.js';
import { systemPace } from '../../src/lib/pace.js';
import { STORE_FOLDER } from '../../src/node/given.js';
import { openRegistry } from '../../src/registry/open-registry.js';
import { answerOrders } from './node-process.js';
import { sampleComponents } from './sample-data.js';

export type WriteOrder =
  | { readonly what: 'post'; readonly from: number; readonly to: number }
  | { readonly what: 'parse'; readonly file: string }
  | { readonly what: 'close' };

const [engine = '', address = ''] = process.argv.slice(2);
const log = { info: () => undefined, warn: console.warn };
const unique = () => randomBytes(8).toString('hex');
const given = { clock: systemClock, pace: systemPace, unique, log };

async function open() {
  const place =
    engine === 'disk'
      ? await openLevelPlace(join(address, STORE_FOLDER), given)
      : await openPostgresPlace({
          ...given,
          ...{ connections: 4, statementMs: 120_000, random: Math.random, url: address },
        });
  const presentation = {
    baseUrl: 'http://node.example',
    namespace: 'http://semcom.digita.ai/voc#',
    order: { pods: [], peers: [] },
    servedAs: '',
  };
  const options = { ...given, isShared: place.isShared };
  const { registry } = await openRegistry(await place.keep('registry'), presentation, options);
  return { registry, place };
}

let opening: ReturnType<typeof open> | undefined;

answerOrders(async (order: WriteOrder) => {
  if (order.what === 'parse') {
    const started = performance.now();
    const parser = new StreamParser({ format: 'text/turtle', baseIRI: 'http://pod.example/' });
    await pipeline(createReadStream(order.file), parser, async (quads) => {
      for await (const _quad of quads);
    });
    return performance.now() - started;
  }
  opening ??= open();
  const { registry, place } = await opening;
  if (order.what === 'close') {
    await registry.close();
    return place.close();
  }
  const started = performance.now();
  await registry.commitOwn({ put: [...sampleComponents(order.from, order.to)] });
  return performance.now() - started;
});
