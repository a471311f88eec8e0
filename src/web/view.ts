import type { Refusals } from '../core/refusal.js';
import type { Health } from '../explain/node-report.js';
import { withoutTrailingSlashes } from '../lib/trailing-slashes.js';
import type { SetName } from '../shipped-set.js';

/** What every page shows of its node. */
export interface NodeView {
  /** Public URL of the node. */
  readonly baseUrl: string;
  readonly version: string;
  readonly health: Health;
  /** Can nothing be written at present, or even not be read what is not in memory? */
  readonly isStorageFailing?: boolean;
  readonly allSourcesFail?: boolean;
  /** Addresses that peers told of, are not read, by reason. */
  readonly refused?: Refusals['counts'];
  /** The sets of components that come with this software and are listed here; absent where there can be none. */
  readonly shipped?: readonly SetName[] | undefined;
  /** URLs of data that the samples are shown with; none while they are not listed. */
  readonly sampleData?: readonly string[];
}

/** Path of the node's root as links have it, without a slash at the end: empty unless `baseUrl` has a path. */
export function rootPath(baseUrl: string): string {
  return withoutTrailingSlashes(new URL(baseUrl).pathname);
}

export function componentPath(baseUrl: string, uri: string): string {
  return `${rootPath(baseUrl)}/c/${encodeURIComponent(uri)}`;
}

/** The path of the page on which a component is shown with data. `entry`: URL of the data. */
export function trialPath(baseUrl: string, uri: string, entry: string): string {
  return `${componentPath(baseUrl, uri)}?${new URLSearchParams({ entry })}`;
}

/** The path of the page that says why a component is served, or is not. */
export function whyPath(baseUrl: string, uri: string): string {
  return `${rootPath(baseUrl)}/why?uri=${encodeURIComponent(uri)}`;
}

/** The path of the page that says what this node has made of a document. */
export function documentPath(baseUrl: string, url: string): string {
  return `${rootPath(baseUrl)}/why?document=${encodeURIComponent(url)}`;
}
