import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type axe from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { beforeAll, expect } from 'vitest';
import { cleanup } from '../cleanup.js';
import { BROWSERS } from '../needs.js';
import { LONGEST_WAIT } from '../wait-for.js';

const QUIET = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
  ...['--disable-background-networking', '--disable-component-update'],
];

/** Only browsers run it: most test files here would load it in vain. */
const AXE = fileURLToPath(import.meta.resolve('axe-core/axe.min.js'));

let browser: Promise<Browser> | undefined;

/** The browser of this process, which runs one test file after another. It ends with the process. */
function runningBrowser(): Promise<Browser> {
  browser ??= chromium.launch({ executablePath: BROWSERS.find(existsSync) ?? BROWSERS[0], args: QUIET });
  return browser;
}

/** Pages as visitors see them: on a desk by day, and on the narrowest screen that pages are made for by night. */
const DESK = { viewport: { width: 1280, height: 900 }, colorScheme: 'light' } as const;
const NARROW = { viewport: { width: 320, height: 780 }, colorScheme: 'dark' } as const;

/** A page of a visitor, with what its console said. */
export interface Visit {
  readonly page: Page;
  /** Errors and warnings on the console, and exceptions that nobody caught. */
  readonly complaints: string[];
}

/** Opens a page in a profile of its own; it goes with the test. */
export async function visit(url: string, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await (await runningBrowser()).newContext(options);
  cleanup(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(LONGEST_WAIT);
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(url);
  return { page, complaints };
}

/**
 * For the tests of a file, opens one page after the other in the same tab: each is a document of its own, in a profile that
 * they share. That takes a third of the processor time of a visit.
 */
export function oneTab(): (url: string) => Promise<Visit> {
  let tab: Visit;
  beforeAll(async () => {
    tab = await visit('about:blank');
  });
  return async (url) => {
    // What is shown may complain on its way out.
    await tab.page.goto('about:blank');
    tab.complaints.splice(0);
    // The test before may have looked at a smaller screen.
    if (tab.page.viewportSize()?.width !== DESK.viewport.width) await tab.page.setViewportSize(DESK.viewport);
    await tab.page.goto(url);
    return tab;
  };
}

/** Of all rules of axe, or of these. @throws AssertionError naming every accessibility rule that the page breaks, and where */
export async function expectAccessible(page: Page, ...rules: readonly string[]): Promise<void> {
  // Through the protocol, where no policy of the page keeps it out.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(await readFile(AXE, 'utf8'));
  const options = {
    // What is in frames does not answer axe, and of a sandboxed one the console would say so.
    iframes: false,
    // No rule that is on reads the style sheets, which axe would load anew each time.
    preload: { assets: ['media'] },
    resultTypes: ['violations' as const],
    ...(rules.length > 0 && { runOnly: [...rules] }),
  };
  const { violations } = await page.evaluate((given) => window.axe.run(given), options);
  expect(violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)])).toEqual([]);
}

/**
 * Looks at a page on the narrowest screen in the dark, where only colours and width differ, and then on a desk, where it stays.
 * @throws AssertionError naming what is not accessible, or the look in which the page is wider than the screen
 */
export async function expectGoodLooks(page: Page, name: string): Promise<void> {
  for (const look of [NARROW, DESK]) {
    await page.setViewportSize(look.viewport);
    await page.emulateMedia({ colorScheme: look.colorScheme });
    await expectAccessible(page, ...(look === NARROW ? ['color-contrast'] : []));
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect([name, width]).toEqual([name, Math.min(width, look.viewport.width)]);
  }
}

declare global {
  interface Window {
    readonly axe: typeof axe;
  }
}
