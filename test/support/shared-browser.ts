import { chromium } from 'playwright-core';
import { CHROMIUM } from './install-chromium.js';
import { onDemand } from './on-demand.js';

const QUIET = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
  ...['--disable-background-networking', '--disable-component-update'],
];

/** One browser for all test files, because starting it takes seconds of a core. Tells where to connect. */
export const sharedBrowser = () =>
  onDemand({
    start: () => chromium.launchServer({ executablePath: CHROMIUM, args: QUIET, host: '127.0.0.1' }),
    tell: (server) => server.wsEndpoint(),
    end: (server) => server.close(),
  });
