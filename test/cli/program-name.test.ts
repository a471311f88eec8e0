import { expect, it } from 'vitest';
import { programName } from '../../src/cli/program-name.js';

it.each([
  ['/home/ann/node/dist/main.js', 'node dist/main.js'],
  ['/opt/node/dist/main.js', 'node /opt/node/dist/main.js'],
  ['/home/ann/node/node_modules/.bin/component-registry-node', 'npx --no -- component-registry-node'],
  ['/usr/local/bin/component-registry-node', 'component-registry-node'],
])('%s is run again by: %s', (script, typed) => {
  expect(programName(script, '/home/ann/node')).toBe(typed);
});
