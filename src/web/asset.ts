import { readFileSync } from 'node:fs';
import { textTag } from '../lib/http/response/text-tag.js';
import { unlessMissing } from '../lib/missing-file.js';

/** The files that browsers load from a node, with their media types. The build writes them next to the program. */
export const ASSETS = {
  'host.js': 'text/javascript; charset=utf-8',
  'host-frame.js': 'text/javascript; charset=utf-8',
  'host-invoke.js': 'text/javascript; charset=utf-8',
  'host-json-ld.js': 'text/javascript; charset=utf-8',
  'host-matching.js': 'text/javascript; charset=utf-8',
  'host-shacl.js': 'text/javascript; charset=utf-8',
  'host-sanitised.js': 'text/javascript; charset=utf-8',
  'host-version-range.js': 'text/javascript; charset=utf-8',
  'embed.js': 'text/javascript; charset=utf-8',
  'explorer.js': 'text/javascript; charset=utf-8',
  'explorer-frame.js': 'text/javascript; charset=utf-8',
  'explorer-data.js': 'text/javascript; charset=utf-8',
  'explorer-lint.js': 'text/javascript; charset=utf-8',
  'explorer-listed.js': 'text/javascript; charset=utf-8',
  'explorer-publish.js': 'text/javascript; charset=utf-8',
  'explorer-sign-in.js': 'text/javascript; charset=utf-8',
  'explorer-demo.js': 'text/javascript; charset=utf-8',
  'explorer-invites.js': 'text/javascript; charset=utf-8',
  'explorer-operate.js': 'text/javascript; charset=utf-8',
  'data-table.js': 'text/javascript; charset=utf-8',
  'explorer.css': 'text/css; charset=utf-8',
  'mark.svg': 'image/svg+xml',
} as const;
export type AssetName = keyof typeof ASSETS;

export interface Asset {
  readonly text: string;
  /** Strong, with its quotes. */
  readonly etag: string;
}

/** Returns a file that is served to browsers; undefined when it has not been built. */
export type Assets = (name: AssetName) => Asset | undefined;

/** The files in a folder (a URL with a slash at the end); each is read when it is first requested. */
export function assetsIn(folder: URL): Assets {
  const read = new Map<AssetName, Asset>();
  return (name) => {
    const asset = read.get(name) ?? readAsset(new URL(name, folder));
    if (asset) read.set(name, asset);
    return asset;
  };
}

function readAsset(file: URL): Asset | undefined {
  try {
    const text = readFileSync(file, 'utf8');
    return { text, etag: textTag(text) };
  } catch (error) {
    return unlessMissing(error);
  }
}
