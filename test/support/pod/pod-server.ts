import { fork } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bareEnv, exitOf } from '../child.js';
import { heldPort } from '../held-port.js';
import { installed } from '../install-packages.js';
import { LOGIN, POD_NAME } from './pod.js';

/**
 * Starts a real Community Solid Server on loopback, with one pod, and its data in the directory. Gives its URL, with a slash at the
 * end, and what ends the process at once, as a power cut would.
 */
export async function startPodServer(directory: string) {
  const cwd = await installed('test/pod-server', 105);
  const seed = join(directory, 'seed.json');
  await writeFile(seed, JSON.stringify([{ ...LOGIN, pods: [{ name: POD_NAME }] }]));
  const port = await heldPort();
  // By name, because Solid-OIDC takes an http WebID from `localhost` and from no address.
  const url = `http://localhost:${port}/`;
  const options = {
    ...{ '-c': '@css:config/file.json', '-f': join(directory, 'pods'), '-p': `${port}`, '-b': url },
    ...{ '-l': 'error', '--seedConfig': seed },
  };
  const child = fork('start.cjs', Object.entries(options).flat(), {
    cwd,
    env: bareEnv(),
    execArgv: ['--require', `${cwd}listen-on-loopback.cjs`],
    // Its log complains of every deletion; what stops it from starting goes to stderr.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exited = exitOf(child);
  const listening = new Promise((resolve) => child.once('message', () => resolve(true)));
  if ((await Promise.race([listening, exited])) !== true)
    throw new Error('the pod server ended before it listened; its last words are above');
  return {
    url,
    kill(): Promise<unknown> {
      child.kill('SIGKILL');
      return exited;
    },
  };
}
