import { withoutTrailingSlashes } from '../lib/trailing-slashes.js';

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
