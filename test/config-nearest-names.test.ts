import { expect, it } from 'vitest';
import { nearestNames } from '../src/config/nearest-names.js';
import { configReference } from '../src/config.js';

const NAMES = configReference().map(({ variable }) => variable.replace('REGISTRY_', ''));

it.each([
  ['PORT', ['LISTEN_PORT']],
  ['HOST', ['LISTEN_HOST']],
  ['LISTEN_PROT', ['LISTEN_PORT']],
  ['DATADIR', ['DATA_DIR']],
  ['data', ['DATA_DIR']],
  ['BASEURL', ['BASE_URL']],
  ['PERS', ['PEERS']],
  ['POD', ['PODS']],
  ['TIMEOUT', ['SYNC_TIMEOUT_SECONDS']],
  ['TIMEOUT_SYNC', ['SYNC_TIMEOUT_SECONDS']],
  ['LOGLEVEL', ['LOG_LEVEL']],
  ['ALLOW', ['DISCOVERY_ALLOW']],
  ['ALLOW_PRIVATE', ['NETWORK_ALLOW_PRIVATE']],
  ['WRITES', ['WRITE']],
  ['SERVICE_HOST_XYZZY_QUUX', []],
  ['', []],
])('%s means %j', (word, meant) => {
  expect(nearestNames(word, NAMES)).toEqual(meant);
});

it('names all that fit equally well', () => {
  expect(nearestNames('URL', ['BASE_URL', 'STORE_URL', 'WRITE'])).toEqual(['BASE_URL', 'STORE_URL']);
});
