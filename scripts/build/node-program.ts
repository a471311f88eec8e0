import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

export interface NodeProgram {
  readonly sources: string;
  readonly dist: string;
  /** Folders of the sources that only browsers run: bundles are made of them. */
  readonly without: readonly string[];
}

/**
 * Writes a module of JavaScript for each module of the sources, in its place below `dist`. Nothing is joined: packages are
 * loaded from `node_modules`, where npm, its audits and `overrides` see them, and each module can be replaced by a hook of
 * `node --import`. The types are checked by `npm run typecheck`, not here.
 */
export async function buildNodeProgram({ sources, dist, without }: NodeProgram): Promise<void> {
  const modules = readdirSync(sources, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
    .filter((file) => !without.some((folder) => file.startsWith(folder)));
  await build({
    entryPoints: modules.map((file) => join(sources, file)),
    outbase: sources,
    outdir: dist,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'warning',
  });
}
