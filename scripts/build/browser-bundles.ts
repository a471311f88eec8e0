import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

type Entry = { readonly in: string; readonly out: string };

/** What pages of others load at addresses that stay, by its file below `dist`. */
const LIBRARY: readonly Entry[] = [
  { in: 'src/host/host.ts', out: 'host' },
  { in: 'src/host/embed.ts', out: 'embed' },
  { in: 'src/host/frame-page.ts', out: 'host-frame' },
];

/** The files of a page that browsers load, and what they are called below `dist/assets`. */
const OF_PAGES = ['script.ts', 'style.css', 'mark.svg'];

export interface Bundles {
  /** A line for each file that is loaded by its name: how large it is, and how large compressed. */
  readonly sizes: readonly string[];
  /** The files that went into the bundles. */
  readonly inputs: readonly string[];
}

/**
 * Writes what browsers load, below `dist`: the host library, and the script and the style of each page. What several of
 * them import, and what one imports when it needs it, goes into chunks, whose names change with their content.
 */
export async function buildBrowserBundles(root: string, dist: string): Promise<Bundles> {
  const { metafile } = await build({
    absWorkingDir: root,
    outdir: dist,
    entryPoints: [...LIBRARY, ...pageEntries(root)],
    bundle: true,
    splitting: true,
    chunkNames: 'assets/[name]-[hash]',
    format: 'esm',
    target: 'es2022',
    // The browser's variant of a package, where it has one: without it, the other needs Node.js.
    mainFields: ['module', 'main'],
    minify: true,
    legalComments: 'eof',
    loader: { '.svg': 'copy' },
    // A bundle names the files that it is made of: the same ones, wherever `node_modules` leads.
    preserveSymlinks: true,
    logLevel: 'warning',
    metafile: true,
  });
  const named = Object.entries(metafile.outputs).filter(([, { entryPoint }]) => entryPoint !== undefined);
  return {
    sizes: named.map(([path]) => sizeOf(join(root, path), dist)),
    inputs: Object.keys(metafile.inputs),
  };
}

/** By convention: the file `script.ts` of `src/pages/network` is `/assets/network.js`, and `style.css` is `/assets/network.css`. */
function pageEntries(root: string): Entry[] {
  return readdirSync(join(root, 'src/pages')).flatMap((page) =>
    OF_PAGES.map((file) => ({ in: `src/pages/${page}/${file}`, out: `assets/${page}` })).filter((entry) =>
      existsSync(join(root, entry.in)),
    ),
  );
}

function sizeOf(file: string, dist: string): string {
  const bytes = readFileSync(file);
  const kilobytes = (size: number) => `${(size / 1000).toFixed(1)} kB`;
  return `${relative(dist, file)} ${kilobytes(bytes.length)}, ${kilobytes(gzipSync(bytes).length)} compressed`;
}
