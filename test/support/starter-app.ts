import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Metadata } from '../../src/component/metadata.js';
import { Starter, type StarterFile } from '../../src/demo/starter.js';
import { NODE } from './demo-app.js';
import { VOCABULARY } from './registry.js';
import { createTestApp, type TestApp } from './registry-app.js';
import { tempDir } from './temp-dir.js';

export const MODULE = 'export default class extends HTMLElement {}\n';
const integrity = `sha384-${createHash('sha384').update(MODULE).digest('base64')}`;

export interface StarterApp extends TestApp {
  readonly starter: Starter;
  /** The package, with a slash at the end; the set is in `starter/`. */
  readonly packageFolder: URL;
}

/** Writes a built set of one module into a package folder. */
export async function writeSet(
  packageFolder: URL,
  components: readonly Partial<Metadata>[] = [{ label: 'One' }],
): Promise<void> {
  const dist = new URL('starter/dist/', packageFolder);
  await mkdir(new URL('shapes/', dist), { recursive: true });
  const packages = [{ name: 'some-form', version: '1.2.3', licence: 'MIT' }];
  const files: Record<string, StarterFile> = {
    'one.js': { mediaType: 'text/javascript', bytes: MODULE.length, integrity, packages },
    'shapes/one.ttl': { mediaType: 'text/turtle', bytes: 5, integrity },
  };
  const described = components.map((fields) => ({
    ...{ uri: 'starter:one.js', integrity, shapes: ['starter:shapes/one.ttl#One'], tag: ['starter'] },
    ...fields,
  }));
  await writeFile(new URL('../package.json', dist), '{}');
  await writeFile(new URL('one.js', dist), MODULE);
  await writeFile(new URL('shapes/one.ttl', dist), '<#One> a <urn:shape>.');
  await writeFile(new URL('starter.json', dist), JSON.stringify({ components: described, files }));
}

/** The registry's app with a starter set, which is not shown yet. */
export async function createStarterApp(write: 'off' | 'open' = 'open'): Promise<StarterApp> {
  const packageFolder = pathToFileURL(join(await tempDir(), '/'));
  await writeSet(packageFolder);
  let starter: Starter | undefined;
  const test = await createTestApp({ baseUrl: NODE, write }, (registry) => {
    const config = { baseUrl: NODE, write };
    starter = new Starter({ config, vocabulary: VOCABULARY, registry, packageFolder });
    return { starter };
  });
  if (!starter) throw new Error('the app was made without a starter set');
  return { ...test, starter, packageFolder };
}
