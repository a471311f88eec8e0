import { execFileSync } from 'node:child_process';

/** Where a command runs, and what is different in its environment. */
export interface Where {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a command and gives what it wrote to stdout. @throws Error with what it wrote to stderr, where it fails */
export function run({ cwd, env = {} }: Where, command: string, ...args: readonly string[]): string {
  try {
    return execFileSync(command, args, {
      cwd,
      env: { ...process.env, ...env },
      encoding: 'utf8',
      maxBuffer: 100_000_000,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  } catch (cause) {
    const { stderr = '' } = cause as { stderr?: string };
    throw new Error(
      `${command} ${args.join(' ')} failed: ${stderr.trim().split('\n').slice(-20).join('\n')}`,
      { cause },
    );
  }
}
