import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const SYNC = new URL('../../src/sync/', import.meta.url);
/** They meet in node.ts; what they share stands above them, in src/sync/ itself. */
const ROOMS = ['discovery', 'peer', 'pod'];

it.each(ROOMS)('src/sync/%s imports nothing of the other rooms', (room) => {
  const others = ROOMS.filter((other) => other !== room).map((other) => `from '../${other}/`);
  const files = readdirSync(new URL(`${room}/`, SYNC));
  expect(files.length).toBeGreaterThan(0);
  for (const file of files) {
    const text = readFileSync(new URL(`${room}/${file}`, SYNC), 'utf8');
    expect(others.filter((other) => text.includes(other)).map((other) => `${file} ${other}`)).toEqual([]);
  }
});
