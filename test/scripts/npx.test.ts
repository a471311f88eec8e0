import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { TOP } from '../support/docs.js';

/** Programs of published packages that texts may name: those of our lock files. */
const PUBLISHED = new Set(
  ['', 'test/ldes-client/', 'test/clients/', 'test/pod-server/', 'starter/'].flatMap((folder) => {
    const { packages } = JSON.parse(readFileSync(`${TOP}${folder}package-lock.json`, 'utf8'));
    return Object.values(packages as Record<string, { bin?: object }>).flatMap(({ bin }) =>
      Object.keys(bin ?? {}),
    );
  }),
);

const TEXTS = 'README.md CHANGELOG.md CONTRIBUTING.md Dockerfile docs src scripts starter .github'.split(' ');

// npx would fetch and run whatever somebody publishes under a name that nobody owns yet.
it('no text has npx run a package under a name that is not published', () => {
  const named = TEXTS.flatMap(filesIn).flatMap((file) => {
    const commands = readFileSync(file, 'utf8').matchAll(
      /\b(?:npx|npm (?:i|install)) ((?:-\S+ )*)([\w@][\w@./-]*)/g,
    );
    return [...commands]
      .filter(([, flags = '']) => !flags.includes('--no '))
      .map(([, , name = '']) => [file, name]);
  });
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter(([, name = '']) => !PUBLISHED.has(name))).toEqual([]);
});

function filesIn(path: string): string[] {
  const whole = join(TOP, path);
  if (/\.\w+$|Dockerfile/.test(path) && path !== '.github') return [whole];
  return readdirSync(whole, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(md|m?ts|mjs|js|json|ya?ml|sh)$/.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((file) => !/node_modules|\/dist\//.test(file));
}
