import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

export interface Bundle {
  /** The file to begin with, or the text of one. */
  readonly entry?: string;
  readonly stdin?: string;
  readonly outfile: string;
  readonly root: string;
}

/** Makes one ES module of a file and all that it imports, for browsers of the last three years, and prints its size. */
export async function bundle({ entry, stdin, outfile, root }: Bundle): Promise<void> {
  await build({
    ...(entry === undefined ? {} : { entryPoints: [entry] }),
    ...(stdin === undefined ? {} : { stdin: { contents: stdin, resolveDir: root, loader: 'ts' } }),
    // The browser's variant of a package, where it has one: without it, the other needs Node.js.
    mainFields: ['module', 'main'],
    bundle: true,
    format: 'esm',
    target: 'es2022',
    minify: true,
    legalComments: 'eof',
    outfile,
    logLevel: 'warning',
  });
  const bytes = readFileSync(outfile);
  const kilobytes = (size: number) => `${(size / 1000).toFixed(1)} kB`;
  console.log(
    `${relative(root, outfile)} ${kilobytes(bytes.length)}, ${kilobytes(gzipSync(bytes).length)} compressed`,
  );
}
