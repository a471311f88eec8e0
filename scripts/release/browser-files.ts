import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EMBED, HOST_FRAME, HOST_MODULES } from '../build/browser-files.js';
import type { Clone } from './clone.js';

/** Copies the host library and the parts that it loads, for hosts that serve it themselves; `integrity.json` has their hashes (SRI). */
export function copyBrowserFiles({ folder }: Clone, out: string): void {
  mkdirSync(out);
  const files = [
    'host.js',
    ...Object.values(HOST_MODULES).map(({ file }) => file),
    HOST_FRAME.file,
    EMBED.file,
  ].sort();
  const hashes = files.map((file) => {
    const from = join(folder, 'dist', file);
    copyFileSync(from, join(out, file));
    return [file, `sha384-${createHash('sha384').update(readFileSync(from)).digest('base64')}`];
  });
  writeFileSync(join(out, 'integrity.json'), `${JSON.stringify(Object.fromEntries(hashes), null, 2)}\n`);
}
