import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/lib/clock.js';
import { createLog } from '../../src/lib/log.js';
import { systemPace } from '../../src/lib/pace.js';
import { production } from '../../src/node/given.js';
import { parse } from '../acceptance/adapters/parsed-config.js';
import { tempDir } from '../support/temp-dir.js';

let dataDir: string;

beforeEach(async () => {
  dataDir = await tempDir();
});

const { openPlace } = production(parse({}));
const open = (directory = dataDir) =>
  openPlace(directory, { clock: systemClock, pace: systemPace, log: createLog({ level: 'silent' }) });

describe('a start after an import that was killed', () => {
  it('removes what was left, which nobody else could read', async () => {
    const draft = join(dataDir, 'importing');
    await (await open(draft)).close();
    expect((await stat(draft)).mode & 0o777).toBe(0o700);
    await (await open()).close();
    expect(await readdir(dataDir)).toEqual(['store']);
  });
});
