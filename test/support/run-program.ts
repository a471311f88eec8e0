import { spawn } from 'node:child_process';
import { bareEnv, exitOf } from './child.js';
import { TOP } from './docs.js';

/** What a command of the built program has ended with. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a command of the built program until it ends by itself. */
export async function runProgram(args: readonly string[], { cwd, env }: RunOptions = {}): Promise<Ended> {
  const child = spawn(process.execPath, [`${TOP}dist/main.js`, ...args], { cwd, env: bareEnv(env) });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  const { code } = await exitOf(child);
  return { code, ...output };
}
