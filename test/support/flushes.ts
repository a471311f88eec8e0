import { open, stat } from 'node:fs/promises';
import { type MockInstance, vi } from 'vitest';

interface Handle {
  stat(): Promise<{ ino: number }>;
  sync(): Promise<void>;
}

/** Has `flushed` called before each flush with the inode of what is flushed; what it throws, the flush throws. */
export async function onFlush(flushed: (inode: number) => void): Promise<MockInstance> {
  const handle = await open('.', 'r');
  const prototype = Object.getPrototypeOf(handle) as Handle;
  await handle.close();
  const { sync } = prototype;
  return vi.spyOn(prototype, 'sync').mockImplementation(async function (this: Handle) {
    flushed((await this.stat()).ino);
    await sync.call(this);
  });
}

export async function inodeOf(path: string): Promise<number> {
  return (await stat(path)).ino;
}
