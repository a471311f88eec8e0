import type { Metadata } from './metadata.js';

/** What it takes in memory to find a component by one of its values, beside the value itself, in bytes. */
const VALUE_BYTES = 32;

/** Bytes of a description's texts and of what it takes to find it by them. Makes no lists: one document may hold 70,000. */
export function sizeOf(component: Metadata): number {
  let bytes = 0;
  for (const value of Object.values(component)) {
    if (Array.isArray(value))
      for (const one of value) bytes += sizeOfValue(typeof one === 'object' ? JSON.stringify(one) : one);
    else bytes += sizeOfValue(value);
  }
  return bytes;
}

function sizeOfValue(value: unknown): number {
  return VALUE_BYTES + (typeof value === 'string' ? Buffer.byteLength(value) : 1);
}
