/**
 * `npm run release -- --dry [--out <folder>]`: makes everything that a release consists of from a clean clone of the last
 * commit: the tarball, the bundles for browsers, an image, lists of what is in them, notes and checksums. Nothing is
 * published: `.github/workflows/release.yml` does that, with what this command has made.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { writeBillsOfMaterials } from './release/bills-of-materials.js';
import { copyBrowserFiles } from './release/browser-files.js';
import { writeChecksums } from './release/checksums.js';
import { cloneOf } from './release/clone.js';
import { buildImage, missingImageTools } from './release/image.js';
import { writeNotes } from './release/notes.js';
import { packTarball } from './release/tarball.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const HELP = `npm run release -- --dry [--out <folder>] [--no-image]

Makes from a clean clone of the last commit, in <folder> (default: ./release; it must be empty or missing):
  component-registry-node-<version>.tgz   the package, as npm would publish it
  browser/                                the host library and its parts, with integrity.json
  image/                                  an OCI image layout for linux/amd64 (needs buildah and mmdebstrap)
  sbom.cyclonedx.json, sbom.spdx.json     what the program is made of
  NOTES.md                                the part of CHANGELOG.md about this version
  SHA256SUMS                              of all these files
Two runs of one commit make the same bytes. Nothing is published.`;

const { values } = parseArgs({
  options: {
    dry: { type: 'boolean' },
    out: { type: 'string', default: 'release' },
    'no-image': { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  },
});

if (values.help) console.log(HELP);
else if (!values.dry)
  fail(
    'only the workflow .github/workflows/release.yml publishes; "npm run release -- --dry" makes the files',
  );
else release(resolve(values.out), !values['no-image']);

function release(out: string, withImage: boolean): void {
  const fault = faultOf(out, withImage ? missingImageTools() : []);
  if (fault !== undefined) {
    fail(fault);
    return;
  }
  mkdirSync(out, { recursive: true });
  const scratch = mkdtempSync(join(tmpdir(), 'registry-release-'));
  try {
    step('a clean clone, its dependencies and its build');
    const clone = cloneOf(ROOT, join(scratch, 'clone'));
    const { version } = JSON.parse(readFileSync(join(clone.folder, 'package.json'), 'utf8'));
    step(`version ${version}, commit ${clone.commit}: the tarball`);
    const tarball = packTarball(clone, out);
    copyBrowserFiles(clone, join(out, 'browser'));
    writeBillsOfMaterials(clone, out);
    writeNotes(clone, version, join(out, 'NOTES.md'));
    if (withImage) {
      step('the image');
      buildImage(clone, { tarball, version, scratch, layout: join(out, 'image') });
    }
    const files = writeChecksums(out);
    step(`${files} files in ${out}; SHA256SUMS names them`);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Why nothing can be made, and what to do; found before the work begins. */
function faultOf(out: string, missing: readonly string[]): string | undefined {
  if (existsSync(out) && readdirSync(out).length > 0)
    return `${out} is not empty: remove it, or name another folder with --out`;
  return missing.length === 0
    ? undefined
    : `the image needs ${missing.join(' and ')}: apt-get install ${missing.join(' ')}, or use --no-image`;
}

function step(what: string): void {
  console.log(`release: ${what}`);
}

function fail(why: string): void {
  console.error(`release: ${why}`);
  process.exitCode = 1;
}
