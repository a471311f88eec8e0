import { join } from 'node:path';
import { Samples } from '../../src/demo/samples.js';
import { TOP_FOLDER } from './docs.js';
import { VOCABULARY } from './registry.js';
import { createTestApp, type TestApp, TOKEN } from './registry-app.js';
import { tempDir } from './temp-dir.js';

type Write = 'off' | 'open' | 'operator';

export interface DemoApp extends TestApp {
  readonly samples: Samples;
  readonly dataDir: string;
}

/** Where the node of these tests is: a write from there is its own. */
export const NODE = 'http://localhost:3000';

/** The registry's app with samples, which are not shown yet. */
export async function createDemoApp(write: Write = 'open', dataDir?: string): Promise<DemoApp> {
  const folder = dataDir ?? join(await tempDir(), 'data');
  const config = { baseUrl: NODE, write, ...(write === 'operator' ? { operatorToken: TOKEN } : {}) };
  let samples: Samples | undefined;
  const test = await createTestApp(config, (registry) => {
    const parts = { vocabulary: VOCABULARY, registry, packageFolder: TOP_FOLDER };
    samples = new Samples({ ...parts, config: { baseUrl: NODE, dataDir: folder, write } });
    return { samples };
  });
  if (!samples) throw new Error('the app was made without samples');
  return { ...test, samples, dataDir: folder };
}
