// Another reader of a node, in a thread of its own, so that the work of the test does not count as waiting: between `begin`
// and `end` it asks for the node's health again and again, and looks at its process meanwhile.
import { readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
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

/** Resolves with the status; 0 where no answer came. A connection of its own each time, as another reader has. */
function ask() {
  return new Promise((resolve) => {
    const request = get(`${url}/health`, { agent: false, timeout: TIMEOUT_MS }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
      response.on('error', () => resolve(0));
    });
    request.on('timeout', () => request.destroy()).on('error', () => resolve(0));
  });
}

/** How long the main thread of the node has run so far, and how long it and this thread have waited for a processor, in ms. */
function soFar() {
  const node = ifThere(() => scheduled(`/proc/${pid}/task/${pid}`)) || { ran: 0, queued: 0 };
  return { ran: node.ran, nodeQueued: node.queued, queued: scheduled('/proc/thread-self').queued };
}

/** See sched-stats.rst of Linux. */
function scheduled(thread) {
  const [ran, queued] = readFileSync(`${thread}/schedstat`, 'utf8').split(' ');
  return { ran: Number(ran) / 1e6, queued: Number(queued) / 1e6 };
}

/** `VmHWM` is the most resident memory since the watch began, so that no peak between two looks is missed. */
function mostResidentMb() {
  const status = ifThere(() => readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Math.round(Number(/^VmHWM:\s+(\d+)/m.exec(status || '')?.[1] ?? 0) / 1024);
}

/** A node that has ended can be looked at no more; that it answers no more is counted as such. */
function ifThere(task) {
  try {
    return task();
  } catch (error) {
    if (!['ENOENT', 'ESRCH'].includes(error.code)) throw error;
    return 0;
  }
}

/** Says that it has begun, and what it has seen when it is told to end. */
async function watch() {
  const seen = { failed: 0, longestWaitMs: 0, queuedMs: 0, busiestMs: 0, mostResidentMb: 0 };
  // Has the kernel forget the most resident memory so far (man 5 proc_pid_clear_refs).
  ifThere(() => writeFileSync(`/proc/${pid}/clear_refs`, '5'));
  await ask();
  parentPort.postMessage('ready');
  do {
    const [before, began] = [soFar(), performance.now()];
    if ((await ask()) !== 200) seen.failed += 1;
    const waitedMs = performance.now() - began;
    const after = soFar();
    const ownQueuedMs = after.queued - before.queued;
    if (waitedMs > seen.longestWaitMs) {
      seen.longestWaitMs = waitedMs;
      // The node and this thread take turns, and either may wait for a processor.
      seen.queuedMs = Math.min(waitedMs, ownQueuedMs + after.nodeQueued - before.nodeQueued);
    }
    // While this thread waits for a processor, the node may have answered long ago, and do something else.
    seen.busiestMs = Math.max(seen.busiestMs, after.ran - before.ran - ownQueuedMs);
    seen.mostResidentMb = Math.max(seen.mostResidentMb, mostResidentMb());
    await pause(pauseMs);
  } while (!isOver);
  parentPort.postMessage(seen);
}
