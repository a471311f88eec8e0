import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

const alive = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of alive) child.kill('SIGKILL');
});

/** Resolves when the process ends. Until then it dies with this one, whatever happens to the test. */
export async function exitOf(child: ChildProcess): Promise<Exit> {
  alive.add(child);
  const [code, signal] = await once(child, 'close');
  alive.delete(child);
  return { code, signal };
}

/** The environment of a started process: nothing of the test runner or of this shell's settings gets in. */
export function bareEnv(more: Readonly<NodeJS.ProcessEnv> = {}): NodeJS.ProcessEnv {
  const { PATH = '', HOME = '', SABOTAGE, SABOTAGE_OPTIONS: NODE_OPTIONS } = process.env;
  // A rule that `npm run sabotage` breaks is broken in what tests start, too.
  return { PATH, HOME, ...(SABOTAGE ? { SABOTAGE, NODE_OPTIONS } : {}), ...more };
}
