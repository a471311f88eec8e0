import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commentedConfig, initConfig } from '../../src/cli/init-verb.js';
import { configReference, loadConfig, parseConfig } from '../../src/config.js';
import { tempDir } from '../support/temp-dir.js';

/** The text with the comment marks taken away in front of some keys. */
function uncommented(text: string, isMeant: (line: string) => boolean): string {
  return text.replaceAll(/^( *)\/\/ ("\w+":.*)$/gm, (line, indent, key) =>
    isMeant(key) ? indent + key : line,
  );
}

describe('the configuration that init writes', () => {
  const load = async (text: string) => {
    const directory = await tempDir();
    const file = join(directory, 'node.config.json');
    await writeFile(file, text);
    return [loadConfig({ file, env: {} }), parseConfig({}, { directory, env: {} })];
  };

  it('sets nothing but defaults, as it is and with every comment mark taken away', async () => {
    for (const text of [commentedConfig(), uncommented(commentedConfig(), () => true)]) {
      const [written, defaults] = await load(text);
      expect(written).toEqual(defaults);
    }
  });

  it('stays valid whichever single key is set', async () => {
    const keys = commentedConfig().match(/^ *\/\/ "\w+":/gm) ?? [];
    expect(keys.length).toBeGreaterThan(20);
    for (const key of keys) {
      const [written, defaults] = await load(
        uncommented(commentedConfig(), (line) => key.endsWith(` ${line.slice(0, line.indexOf(':') + 1)}`)),
      );
      expect(written).toEqual(defaults);
    }
  });

  it('explains every key', () => {
    const text = commentedConfig().replaceAll(/\n *\/\/ /g, ' ');
    for (const { meaning } of configReference()) expect(text).toContain(meaning);
  });

  it('is in lines that fit', () => {
    const long = commentedConfig()
      .split('\n')
      .filter((line) => line.length > 115);
    expect(long).toEqual([]);
  });

  it('never replaces a file', async () => {
    const file = join(await tempDir(), 'mine.json');
    expect(await initConfig(file, 'node-x')).toContain(`node-x check --config ${file}`);
    const before = readFileSync(file, 'utf8');
    await expect(initConfig(file, 'node-x')).rejects.toThrow(`${file} is there already and stays as it is`);
    expect(readFileSync(file, 'utf8')).toBe(before);
  });
});
