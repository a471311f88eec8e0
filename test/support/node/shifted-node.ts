import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tempDir } from '../temp-dir.js';
import { LONGEST_WAIT, waitFor } from '../wait-for.js';
import { type NodeOptions, type NodeProcess, startNode } from './node-process.js';

const PRELOADED = fileURLToPath(new URL('./shifted-clock.mjs', import.meta.url));

/** A node whose clock can be set, and what sets it: so many ms from the true time. */
export interface ShiftedNode {
  readonly node: NodeProcess;
  readonly setClock: (offset: number) => Promise<void>;
}

interface ShiftedNodeOptions extends NodeOptions {
  /** Where it answers, if that is not its public address. */
  readonly url?: string;
}

export async function startShiftedNode({ env, url, ...options }: ShiftedNodeOptions): Promise<ShiftedNode> {
  const file = join(await tempDir(), 'offset');
  const node = await startNode({
    ...options,
    env: { ...env, NODE_OPTIONS: `--import=${PRELOADED}`, CLOCK_OFFSET_FILE: file },
  });
  return {
    node,
    async setClock(offset) {
      await writeFile(file, String(offset));
      node.signal('SIGUSR2');
      await waitFor(() => node.stderr.includes(`clock set by ${offset}\n`), {
        describe: 'the clock of the node to be set',
      });
      const answer = await fetch(`${url ?? node.url}/health`, { signal: AbortSignal.timeout(LONGEST_WAIT) });
      if (!answer.ok) throw new Error(`the node whose clock was set answers ${answer.status}`);
    },
  };
}
