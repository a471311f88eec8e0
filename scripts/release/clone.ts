import { run } from './run.js';

/** A clean clone, with its dependencies installed and the program built. */
export interface Clone {
  readonly folder: string;
  readonly commit: string;
  /** Of the commit, in seconds since the epoch: the only time that may be in what is released. */
  readonly time: number;
}

/** Clones the last commit. What is not committed is not released. */
export function cloneOf(repository: string, folder: string): Clone {
  run({ cwd: repository }, 'git', 'clone', '--quiet', '--no-hardlinks', repository, folder);
  const at = { cwd: folder };
  run(at, 'git', 'checkout', '--quiet', run({ cwd: repository }, 'git', 'rev-parse', 'HEAD').trim());
  const commit = run(at, 'git', 'rev-parse', 'HEAD').trim();
  const time = Number(run(at, 'git', 'show', '--no-patch', '--format=%ct', 'HEAD').trim());
  run(at, 'npm', 'ci', '--no-audit', '--no-fund', '--prefer-offline');
  return { folder, commit, time };
}
