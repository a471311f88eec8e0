import { closeSync, openSync, readdirSync, readlinkSync } from 'node:fs';

/** The number of the open file that holds the listing of the registry in a directory. It has no name any more. */
export function listingFile(directory: string): number {
  const found = readdirSync('/proc/self/fd').find((number) => {
    try {
      return readlinkSync(`/proc/self/fd/${number}`) === `${directory}/LISTING (deleted)`;
    } catch {
      return false;
    }
  });
  if (found === undefined) throw new Error(`there is no listing of ${directory}`);
  return Number(found);
}

/** Opens another file under the number of one that is open. */
function exchange(number: number, path: string): void {
  closeSync(number);
  const opened: number[] = [];
  // The lowest number that is free, unless another thread was quicker.
  while (opened.at(-1) !== number && opened.length < 100) opened.push(openSync(path, 'r+'));
  for (const other of opened) if (other !== number) closeSync(other);
}

/** From now on nothing can be written to the listing, and only zeros are read of it; until what is returned is called. */
export function breakListing(directory: string): () => void {
  const number = listingFile(directory);
  const kept = openSync(`/proc/self/fd/${number}`, 'r+');
  exchange(number, '/dev/full');
  return () => {
    exchange(number, `/proc/self/fd/${kept}`);
    closeSync(kept);
  };
}
