import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderTarget } from '../../src/cli/publish-targets.js';
import { tempDir } from '../support/temp-dir.js';

describe('a folder that is published to', () => {
  it.each([
    ['written', 'mine', undefined],
    ['written', 'mine', 'first'],
    ['deleted', undefined, 'first'],
  ])('is not %s over what somebody else has put there meanwhile', async (_, text, first) => {
    const folder = await tempDir();
    const file = join(folder, 'components.ttl');
    if (first !== undefined) await writeFile(file, first);
    const target = folderTarget(folder, undefined);
    const before = await target.read();
    await writeFile(file, 'theirs');
    await expect(target.write(text, before)).rejects.toThrow('has been changed meanwhile');
    expect(await readFile(file, 'utf8')).toBe('theirs');
  });

  it('is written, and emptied, when it is as it was read', async () => {
    const target = folderTarget(join(await tempDir(), 'new'), undefined);
    await target.write('one', await target.read());
    await target.write('two', await target.read());
    expect((await target.read()).text).toBe('two');
    await target.write(undefined, await target.read());
    expect((await target.read()).text).toBeUndefined();
  });
});
