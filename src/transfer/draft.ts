import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { unlessMissing } from '../lib/missing-file.js';

/** The folder in a data directory in which an import builds; what is found there was left by one that was broken off. */
export const DRAFT = 'importing';
/** Ends the name of what an import has moved away, in the draft. */
export const BEFORE = '.before';

/** Was an import killed between the two steps of putting all in its place, so that all it has built is in the draft? */
export async function isSwapInterrupted(dataDir: string, storeFolder: string): Promise<boolean> {
  const names = async (folder: string) => (await readdir(folder).catch(unlessMissing)) ?? [];
  if ((await names(dataDir)).includes(storeFolder)) return false;
  const drafted = await names(join(dataDir, DRAFT));
  return drafted.includes(storeFolder) && drafted.includes(`${storeFolder}${BEFORE}`);
}
