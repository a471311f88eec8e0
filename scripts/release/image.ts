import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Clone } from './clone.js';
import { run } from './run.js';

const TOOLS = ['buildah', 'mmdebstrap'] as const;
/** What Node.js needs of Debian; it brings its own root certificates. There is no shell. */
const DEBIAN = {
  suite: 'bookworm',
  packages: ['base-files', 'libc6', 'libgcc-s1', 'libstdc++6', 'netbase'],
} as const;
/** The port is reachable from outside, so nobody may write until the operator says who. */
const ENVIRONMENT = {
  NODE_ENV: 'production',
  REGISTRY_LISTEN_HOST: '0.0.0.0',
  REGISTRY_LISTEN_PORT: '3000',
  REGISTRY_DATA_DIR: '/data',
  REGISTRY_WRITE: 'off',
};

export interface Image {
  /** The packed program. */
  readonly tarball: string;
  readonly version: string;
  readonly scratch: string;
  /** The folder that becomes an OCI image layout. */
  readonly layout: string;
}

/** Tools that are not installed. */
export function missingImageTools(): string[] {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return TOOLS.filter((tool) => !folders.some((folder) => existsSync(join(folder, tool))));
}

/**
 * Makes an image for linux/amd64 of packages of Debian, the newest line of Node.js that the tests run on, and the packed
 * program with its dependencies. No registry of images is asked. All files have the time of the commit.
 */
export function buildImage(clone: Clone, { tarball, version, scratch, layout }: Image): void {
  const base = join(scratch, 'base.tar');
  const env = { SOURCE_DATE_EPOCH: String(clone.time) };
  const include = `--include=${DEBIAN.packages.join(',')}`;
  run({ cwd: scratch, env }, 'mmdebstrap', '--quiet', '--variant=extract', include, DEBIAN.suite, base);
  const files = join(scratch, 'files');
  mkdirSync(join(files, 'data'), { recursive: true });
  putNode(clone, join(files, 'usr/local/bin'));
  putProgram(clone, tarball, join(files, 'app'));
  const at = { cwd: scratch, env: { BUILDAH_ISOLATION: 'chroot', STORAGE_DRIVER: 'vfs' } };
  const buildah = (...args: string[]) =>
    run(at, 'buildah', '--root', join(scratch, 'storage'), '--runroot', join(scratch, 'run'), ...args).trim();
  const container = buildah('from', 'scratch');
  buildah('add', '--quiet', container, base, '/');
  buildah('add', '--quiet', '--chown', '1000:1000', container, join(files, 'data'), '/data');
  buildah('add', '--quiet', container, join(files, 'usr'), '/usr');
  buildah('add', '--quiet', container, join(files, 'app'), '/app');
  buildah('config', ...settings(clone, version), container);
  const target = `oci:${layout}:${version}`;
  buildah(
    'commit',
    '--quiet',
    '--disable-compression=false',
    '--format',
    'oci',
    '--timestamp',
    String(clone.time),
    container,
    target,
  );
}

function settings({ commit }: Clone, version: string): string[] {
  const labels = { version, revision: commit, licenses: 'MIT', title: 'component-registry-node' };
  return [
    ...['--arch', 'amd64', '--os', 'linux', '--user', '1000:1000', '--workingdir', '/app'],
    ...[
      '--volume',
      '/data',
      '--port',
      '3000',
      '--entrypoint',
      '["/usr/local/bin/node"]',
      '--cmd',
      'dist/main.js',
    ],
    ...Object.entries(ENVIRONMENT).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
    ...Object.entries(labels).flatMap(([name, value]) => [
      '--label',
      `org.opencontainers.image.${name}=${value}`,
    ]),
  ];
}

function putNode({ folder }: Clone, bin: string): void {
  const lines = join(folder, 'test/node-lines');
  run({ cwd: lines }, 'npm', 'ci', '--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline');
  const { dependencies } = JSON.parse(readFileSync(join(lines, 'package.json'), 'utf8'));
  const newest = Object.keys(dependencies).sort().at(-1);
  mkdirSync(bin, { recursive: true });
  copyFileSync(join(lines, `node_modules/${newest}/bin/node`), join(bin, 'node'));
  chmodSync(join(bin, 'node'), 0o755);
}

/** The program as it is published, with the dependencies of the lock file and a configuration of defaults. */
function putProgram({ folder }: Clone, tarball: string, app: string): void {
  mkdirSync(app);
  run({ cwd: app }, 'tar', '--extract', '--strip-components=1', '--file', tarball);
  for (const name of ['package-lock.json', '.npmrc']) cpSync(join(folder, name), join(app, name));
  const options = ['--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
  run({ cwd: app }, 'npm', 'ci', ...options);
  // All defaults; what differs comes from the environment, or from a file mounted over this one.
  writeFileSync(join(app, 'node.config.json'), '{}\n');
}
