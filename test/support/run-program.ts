import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { bareEnv, type Exit, exitOf } from './child.js';
import { cleanup } from './cleanup.js';
import { TOP } from './docs.js';
import { LONGEST_WAIT, waitFor } from './wait-for.js';

/** The built program. */
export const MAIN = `${TOP}dist/main.js`;

/** A command that a test has started. It ends with the process of the tests at the latest. */
export interface Started {
  readonly child: ChildProcess;
  /** What it has written so far: to each of its outputs, and to both as it came. */
  readonly written: Readonly<Written>;
  /** `written.text`. */
  readonly said: () => string;
  /** Waits until it has written something like this. Gives what was found, and its groups. @throws Error when it ends before that */
  readonly says: (pattern: RegExp, timeoutMs?: number) => Promise<readonly string[]>;
  readonly exit: Promise<Exit>;
  /** The same, with all that it has written. */
  readonly ended: Promise<Ended>;
}

interface Written {
  stdout: string;
  stderr: string;
  text: string;
}

export type Ended = Exit & Readonly<Written>;

/** `env`: what it has besides `bareEnv`. `stdin`: nothing, unless the test writes there. */
type RunOptions = Pick<SpawnOptions, 'cwd' | 'detached' | 'uid' | 'gid'> & {
  readonly env?: Readonly<NodeJS.ProcessEnv>;
  readonly stdin?: 'ignore' | 'pipe';
};

/** Starts any command. */
export function startCommand(
  [command = '', ...args]: readonly string[],
  { env, stdin = 'ignore', ...options }: RunOptions = {},
): Started {
  const child = spawn(command, args, { ...options, env: bareEnv(env), stdio: [stdin, 'pipe', 'pipe'] });
  const written: Written = { stdout: '', stderr: '', text: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (piece: string) => {
      written[name] += piece;
      written.text += piece;
    });
  }
  const said = () => written.text;
  const exit = exitOf(child);
  let hasEnded = false;
  const ended = exit.then((how) => {
    hasEnded = true;
    return { ...how, ...written };
  });
  return {
    ...{ child, written, said, exit, ended },
    async says(pattern, timeoutMs = LONGEST_WAIT) {
      const describe = () => `${pattern} in:\n${said()}`;
      const found = await waitFor(() => pattern.exec(said()) ?? hasEnded, { describe, timeoutMs });
      if (found === true) throw new Error(`it has ended, and never said ${describe()}`);
      return found || [];
    },
  };
}

/** Starts any command, which is killed with the test, or the tests of the file, if not before. */
export function startForTest(...command: Parameters<typeof startCommand>) {
  const started = startCommand(...command);
  const kill = (): Promise<Exit> => {
    started.child.kill('SIGKILL');
    return started.exit;
  };
  cleanup(kill);
  return { ...started, kill };
}

/** Waits until a node that was started says in its log that it listens: as what, without a trailing slash, where, and in which process. */
export async function listening({ says }: Started): Promise<{ url: string; node: string; pid: number }> {
  const [line = ''] = await says(/^.*"msg":"listening".*\n/m);
  const said = JSON.parse(line);
  return { ...said, url: said.url.replace(/\/$/, '') };
}

/** Starts a command of the built program. */
export function startProgram(args: readonly string[], options: RunOptions = {}): Started {
  return startCommand([process.execPath, MAIN, ...args], options);
}

/** Runs a command of the built program until it ends by itself. */
export function runProgram(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  return startProgram(args, options).ended;
}
