import { readFile } from 'node:fs/promises';

/** Sends a signal to a process, or to a group of them when negative; one that has ended is no matter. */
export function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Stops a process and all that it has started, until what is given is called: nobody hears that they do nothing. */
export async function paused(pid: number): Promise<() => void> {
  send(pid, 'SIGSTOP');
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  const goOn = await Promise.all(children.split(' ').filter(Boolean).map(Number).map(paused));
  return () => {
    for (const one of goOn) one();
    send(pid, 'SIGCONT');
  };
}
