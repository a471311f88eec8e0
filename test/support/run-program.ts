import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { bareEnv, type Exit, exitOf } from './child.js';
import { TOP } from './docs.js';
import { waitFor } from './wait-for.js';

/** The built program. */
export const MAIN = `${TOP}dist/main.js`;

/** A command that a test has started. It ends with the process of the tests at the latest. */
export interface Started {
  readonly child: ChildProcess;
  /** What it has written to both outputs so far. */
  readonly said: () => string;
  /** Waits until it has written something like this. Gives what was found, and its groups. */
  readonly says: (pattern: RegExp, timeoutMs?: number) => Promise<readonly string[]>;
  readonly exit: Promise<Exit>;
  /** The same, with all that it has written: to each of its outputs, and to both as it came. */
  readonly ended: Promise<Ended>;
}

export interface Ended extends Exit {
  readonly stdout: string;
  readonly stderr: string;
  readonly text: string;
}

/** `env`: what it has besides `bareEnv`. `stdin`: nothing, unless the test writes there. */
type RunOptions = Pick<SpawnOptions, 'cwd' | 'detached' | 'uid' | 'gid'> & {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: 'ignore' | 'pipe';
};

/** Starts any command. */
export function startCommand(
  [command = '', ...args]: readonly string[],
  { env, stdin = 'ignore', ...options }: RunOptions = {},
): Started {
  const child = spawn(command, args, { ...options, env: bareEnv(env), stdio: [stdin, 'pipe', 'pipe'] });
  const written = { stdout: '', stderr: '', text: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (piece: string) => {
      written[name] += piece;
      written.text += piece;
    });
  }
  const said = () => written.text;
  const exit = exitOf(child);
  return {
    child,
    said,
    async says(pattern, timeoutMs) {
      const describe = () => `${pattern} in:\n${said()}`;
      const patience = timeoutMs === undefined ? { describe } : { describe, timeoutMs };
      return (await waitFor(() => pattern.exec(said()), patience)) ?? [];
    },
    exit,
    ended: exit.then((how) => ({ ...how, ...written })),
  };
}

/** Starts a command of the built program. */
export function startProgram(args: readonly string[], options: RunOptions = {}): Started {
  return startCommand([process.execPath, MAIN, ...args], options);
}

/** Runs a command of the built program until it ends by itself. */
export function runProgram(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  return startProgram(args, options).ended;
}
