/**
 * Makes dist: a module for each element, bundled from the pinned packages or from `elements/`, the texts of their licences
 * beside it, the shapes, and `index.json`, which has the descriptions and the hash of every file. Plain JavaScript, because
 * it also runs where only this folder is installed.
 */
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { components } from './components.mjs';
import { licencesOf } from './licences.mjs';
import { MODULES } from './modules.mjs';

/** The editor would wait for styles from a server of others, and for ever where there is none. */
const ownStyles = {
  name: 'styles of the editor',
  setup({ onLoad }) {
    onLoad({ filter: /editor-base\/index\.js$/ }, ({ path }) => {
      const styles = readFileSync(join(FOLDER, 'node_modules/codemirror/lib/codemirror.css'));
      const contents = readFileSync(path, 'utf8')
        .replace('navigator.onLine', 'true')
        .replace(/'https:\/\/cdnjs[^']*'/, `'data:text/css;base64,${styles.toString('base64')}'`);
      return { contents, loader: 'js' };
    });
  },
};

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const DIST = join(FOLDER, 'dist');
const TYPES = { '.js': 'text/javascript', '.ttl': 'text/turtle', '.txt': 'text/plain' };

rmSync(DIST, { recursive: true, force: true });
mkdirSync(DIST);
const packages = {};
for (const [name, { code, prebuilt = [], node = false }] of Object.entries(MODULES)) {
  const inputs = await bundle(name, code, node);
  const licences = licencesOf(FOLDER, inputs, prebuilt);
  writeFileSync(join(DIST, `${name}.licences.txt`), licences.text);
  packages[`${name}.js`] = licences.packages;
}
cpSync(join(FOLDER, 'shapes'), join(DIST, 'shapes'), { recursive: true });

const files = Object.fromEntries(
  readdirSync(DIST, { recursive: true, encoding: 'utf8' })
    .filter((path) => mediaType(path) !== undefined)
    .sort()
    .map((path) => [path, described(path)]),
);
const set = { components: components((path) => files[path].integrity, packages), files };
writeFileSync(join(DIST, 'index.json'), `${JSON.stringify(set, null, 2)}\n`);
const bytes = Object.values(files).reduce((sum, file) => sum + file.bytes, 0);
console.log(`starter: ${set.components.length} components, ${(bytes / 1e6).toFixed(1)} MB`);

/** @returns the paths of the files that are in the bundle */
async function bundle(name, code, node) {
  const { metafile } = await build({
    stdin: { contents: code, resolveDir: FOLDER, sourcefile: `${name}.mjs`, loader: 'js' },
    ...{ outfile: join(DIST, `${name}.js`), bundle: true, format: 'esm', target: 'es2022' },
    ...{ minify: true, legalComments: 'none', metafile: true, logLevel: 'error' },
    plugins: [ownStyles],
    mainFields: ['browser', 'module', 'main'],
    conditions: ['browser'],
    // Some packages were written for Node.js, and bring what they need of it, but for this.
    alias: { crypto: './modules/crypto.mjs', stream: 'readable-stream' },
    inject: ['define-once', ...(node ? ['node-globals'] : [])].map((file) =>
      join(FOLDER, `modules/${file}.mjs`),
    ),
    // A page may show two components of one module, under two URLs: the second evaluation finds the element defined.
    define: {
      ...{ global: 'globalThis', 'process.env.NODE_ENV': '"production"' },
      ...Object.fromEntries(
        ['', 'window.', 'globalThis.'].map((of) => [`${of}customElements.define`, 'defineOnce']),
      ),
    },
  });
  const [output] = Object.values(metafile.outputs);
  return Object.entries(output.inputs)
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([path]) => path);
}

function mediaType(path) {
  return TYPES[/\.\w+$/.exec(path)?.[0] ?? ''];
}

function described(path) {
  const content = readFileSync(join(DIST, path));
  const integrity = `sha384-${createHash('sha384').update(content).digest('base64')}`;
  const built = packages[path];
  return {
    ...{ mediaType: mediaType(path), bytes: content.length, integrity },
    ...(built ? { packages: built } : {}),
  };
}
