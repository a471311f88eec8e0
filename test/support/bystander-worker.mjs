// Another reader of a node, in a thread of its own, so that the work of the test does not count as waiting: between `begin`
// and `end` it asks for the node's health again and again.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

const { url, pid, pauseMs } = workerData;
/** A request that takes a minute has failed: a long wait is measured. */
const TIMEOUT_MS = 60_000;
let isOver = false;
parentPort.on('message', (order) => {
  isOver = order === 'end';
  if (order === 'begin') void watch();
});

/** Resolves with the status. A connection of its own each time, as another reader has. */
async function ask() {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const [response] = await once(get(`${url}/health`, { agent: false, signal }), 'response');
  await text(response);
  return response.statusCode;
}

/** How long the main thread of the node has run so far, and how long it and this thread have waited for a processor, in ms. */
function soFar() {
  const [node, own] = [`/proc/${pid}/task/${pid}`, '/proc/thread-self'].map((thread) =>
    // See sched-stats.rst of Linux.
    readFileSync(`${thread}/schedstat`, 'utf8')
      .split(' ')
      .map((ns) => Number(ns) / 1e6),
  );
  return { ran: node[0], nodeQueued: node[1], queued: own[1] };
}

/** Says that it has begun, and what it has seen when it is told to end. */
async function watch() {
  const seen = { failed: 0, ownWaitMs: 0, busyMs: 0 };
  await ask().catch(() => undefined);
  parentPort.postMessage('ready');
  do {
    try {
      const [before, began] = [soFar(), performance.now()];
      if ((await ask()) !== 200) seen.failed += 1;
      const waitedMs = performance.now() - began;
      const after = soFar();
      const queuedMs = after.queued - before.queued;
      // The node and this thread take turns, and either may wait for a processor that others have.
      const othersMs = queuedMs + after.nodeQueued - before.nodeQueued;
      seen.ownWaitMs = Math.max(seen.ownWaitMs, waitedMs - othersMs);
      // While this thread waits for a processor, the node may have answered long ago, and do something else.
      seen.busyMs = Math.max(seen.busyMs, after.ran - before.ran - queuedMs);
    } catch {
      // No answer, or no process any more.
      seen.failed += 1;
    }
    await pause(pauseMs);
  } while (!isOver);
  parentPort.postMessage(seen);
}
