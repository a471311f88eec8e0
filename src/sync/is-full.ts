import type { ReadLimits } from '../core/reading.js';

/** With less than this part of its bytes left, or with fewer bytes than these, a source is full: nothing new of it is read. */
const FULL = { part: 1 / 16, bytes: 4_096 } as const;

/** Is there no room worth speaking of? What is known of the source is read on. */
export function isFull({ most, room }: ReadLimits): boolean {
  return room.components < 1 || room.bytes < Math.max(most.bytes * FULL.part, FULL.bytes);
}
