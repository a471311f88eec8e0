// The thread of a Bystander: asks a node for its health again and again, and looks at its process meanwhile.
import { readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { parentPort } from 'node:worker_threads';

let done = false;
parentPort.on('message', (order) => {
  if (order === 'end') done = true;
  else void watch(order);
});

/** Resolves with the status; 0 where no answer came. A connection of its own each time, as another reader has. */
function ask(url, timeoutMs) {
  return new Promise((resolve) => {
    const request = get(`${url}/health`, { agent: false, timeout: timeoutMs }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
      response.on('error', () => resolve(0));
    });
    request.on('timeout', () => request.destroy()).on('error', () => resolve(0));
  });
}

/** `VmHWM` is the most resident memory since the watch began, so that no peak between two looks is missed. */
function look(pid, seen) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const figure = (key) => Number(new RegExp(`^${key}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
  seen.mostResidentMb = Math.max(seen.mostResidentMb, Math.round(figure('VmHWM') / 1024));
  seen.mostThreads = Math.max(seen.mostThreads, figure('Threads'));
}

/** How long a thread has run so far, and how long it waited for a processor, in ms (sched-stats.rst). */
function scheduled(thread) {
  const [ran, queued] = readFileSync(`${thread}/schedstat`, 'utf8').split(' ');
  return { ranMs: Number(ran) / 1e6, queuedMs: Number(queued) / 1e6 };
}

/** What the main thread of the process has run; it and this thread take turns, and either may wait for a processor. */
function soFar(pid) {
  const node = ifThere(() => scheduled(`/proc/${pid}/task/${pid}`)) || { ranMs: 0, queuedMs: 0 };
  const ownQueuedMs = scheduled('/proc/thread-self').queuedMs;
  return { ranMs: node.ranMs, queuedMs: node.queuedMs + ownQueuedMs, ownQueuedMs };
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

/** Says that it has begun, and what it has seen when it is told to end, or has asked often enough. */
async function watch({ url, pid, pauseMs, timeoutMs, questions }) {
  done = false;
  const seen = {
    ...{ failed: 0, longestWaitMs: 0, queuedMs: 0, busiestMs: 0 },
    ...{ mostResidentMb: 0, mostThreads: 0 },
  };
  let asked = 0;
  // Has the kernel forget the most resident memory so far (man 5 proc_pid_clear_refs).
  ifThere(() => writeFileSync(`/proc/${pid}/clear_refs`, '5'));
  ifThere(() => look(pid, seen));
  await ask(url, timeoutMs);
  parentPort.postMessage('ready');
  do {
    const before = soFar(pid);
    const began = performance.now();
    const status = await ask(url, timeoutMs);
    const took = performance.now() - began;
    const after = soFar(pid);
    // While this thread waits for a processor, the node may have answered long ago, and do something else.
    const late = after.ownQueuedMs - before.ownQueuedMs;
    seen.busiestMs = Math.max(seen.busiestMs, after.ranMs - before.ranMs - late);
    asked += 1;
    if (status !== 200) seen.failed += 1;
    if (took > seen.longestWaitMs) {
      seen.longestWaitMs = took;
      seen.queuedMs = Math.min(took, after.queuedMs - before.queuedMs);
    }
    ifThere(() => look(pid, seen));
    await pause(pauseMs);
  } while (!done && asked < questions);
  parentPort.postMessage(seen);
}
