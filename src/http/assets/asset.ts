import { readFileSync, statSync } from 'node:fs';
import { textTag } from '../../lib/http/response/conditional.js';
import { unlessMissing } from '../../lib/missing-file.js';

interface Asset {
  readonly text: string;
  /** Strong, with its quotes. */
  readonly etag: string;
  /** When it was made, ms since the epoch. */
  readonly since: number;
}

/** Returns a file that is served to browsers, `host.js` or `assets/shell.css`; undefined when the build has made none of this name. */
export type Assets = (name: string) => Asset | undefined;

const NAME = /^(assets\/)?[\w-]+\.(js|css|svg)$/;

/** The files in a folder (a URL with a slash at the end); each is read when it is first requested. */
export function assetsIn(folder: URL): Assets {
  const read = new Map<string, Asset>();
  return (name) => {
    const asset = read.get(name) ?? (NAME.test(name) ? readAsset(new URL(name, folder)) : undefined);
    if (asset) read.set(name, asset);
    return asset;
  };
}

function readAsset(file: URL): Asset | undefined {
  try {
    const text = readFileSync(file, 'utf8');
    return { text, etag: textTag(text), since: statSync(file).mtimeMs };
  } catch (error) {
    return unlessMissing(error);
  }
}
