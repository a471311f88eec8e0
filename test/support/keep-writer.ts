/**
 * A keep in a process of its own, to be killed: it makes one commit after another, of rows, quads and both, and says so when each is
 * stored. What it is given is the directory.
 */
import { DataFactory } from 'n3';
import { commitsOf } from '../keep/killed-commits.js';
import { openedIn } from '../keep/level-engine.js';

const [directory = ''] = process.argv.slice(2);
const place = await openedIn(directory);
const keep = await place.keep('registry');
let head = { epoch: '', version: 0, mark: '' };
for await (const batch of keep.rows(['count'])) head = batch.head;
process.send?.(head.version);
for (;;) {
  const number = head.version + 1;
  head = await keep.commit(head, () => commitsOf(number, DataFactory));
  process.send?.(head.version);
}
