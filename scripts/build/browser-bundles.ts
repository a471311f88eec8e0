import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

/** What pages of others load at addresses that stay, by its file below `dist`. */
const LIBRARY = {
  host: 'src/host/host.ts',
  embed: 'src/host/embed.ts',
  'host-frame': 'src/host/frame-page.ts',
};

/** The files of a page that browsers load, and what they are called below `dist/assets`. */
const OF_PAGES = ['script.ts', 'style.css', 'mark.svg'];

/**
 * Writes what browsers load, below `dist`: the host library, and the script and the style of each page. What several of
 * them import, and what one imports when it needs it, goes into chunks, whose names change with their content.
 * @returns the files that went into it
 */
export async function buildBrowserBundles(root: string, dist: string): Promise<readonly string[]> {
  const library = Object.entries(LIBRARY).map(([out, file]) => ({ in: file, out }));
  const { metafile } = await build({
    absWorkingDir: root,
    outdir: dist,
    entryPoints: [...library, ...pageEntries(root)],
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
  return Object.keys(metafile.inputs);
}

/** By convention: the file `script.ts` of `src/pages/network` is `/assets/network.js`, and `style.css` is `/assets/network.css`. */
function pageEntries(root: string) {
  const pages = readdirSync(join(root, 'src/pages'));
  return pages
    .flatMap((page) => OF_PAGES.map((file) => ({ in: `src/pages/${page}/${file}`, out: `assets/${page}` })))
    .filter((entry) => existsSync(join(root, entry.in)));
}
