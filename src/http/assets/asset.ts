import { readFileSync } from 'node:fs';
import type { ASSET_NAMES } from '../../config/own-paths.js';
import { textTag } from '../../lib/http/response/text-tag.js';
import { unlessMissing } from '../../lib/missing-file.js';

export type AssetName = (typeof ASSET_NAMES)[number];

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
