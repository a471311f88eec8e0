import { html } from 'hono/html';
import { rootPath } from '../../http/paths.js';
import { withoutTrailingSlashes } from '../../lib/trailing-slashes.js';
import { operatorNotice, stateOf } from './node-state.js';
import { shippedNotice } from './samples.js';
import type { NodeView } from './view.js';

/** A piece of HTML, made by `html` of hono, which escapes all values. */
export type Markup = ReturnType<typeof html>;

export interface Page {
  readonly node: NodeView;
  /** Of the page alone: the node stands behind it. */
  readonly title: string;
  /** Which entry of the menu the page belongs to; none when absent. */
  readonly part?: 'components' | 'network' | 'publish' | 'docs';
  readonly main: Markup;
  /** The scripts that the page loads; that of the explorer when absent. A page whose URL is a secret loads none. */
  readonly scripts?: readonly string[];
  /** Does it have an element with the id `count` that says how much was found, before all of that? */
  readonly hasResults?: boolean;
  /** Without the menu and what is for programs: for visitors who have been sent to this one page. */
  readonly isAlone?: boolean;
}

const MENU = [
  { part: 'components', path: '/', label: 'Components' },
  { part: 'network', path: '/network', label: 'Network' },
  { part: 'publish', path: '/publish', label: 'Publish' },
  { part: 'docs', path: '/docs', label: 'Docs' },
] as const;

/** A whole page around its main part. */
export function renderPage({ main, ...page }: Page): string {
  const { before, after } = pageAround(page);
  return `${before}${main}${after}`;
}

/** What comes before the main part of a page and after it, for pages whose main part is made piece by piece. */
export function pageAround(page: Omit<Page, 'main'>): { readonly before: string; readonly after: string } {
  return { before: String(beginning(page)), after: String(page.isAlone ? ENDING_ALONE : ending(page.node)) };
}

function beginning({
  node,
  title,
  part,
  scripts = ['shell.js'],
  hasResults,
  isAlone,
}: Omit<Page, 'main'>): Markup {
  const root = rootPath(node.baseUrl);
  const whole = `${title} – ${hostOf(node.baseUrl)}`;
  return html`<!doctype html>
<html lang="en">
<head>
${headElements(whole)}
${isAlone ? '' : about(node, whole)}
<link rel="icon" href="${root}/assets/shell.svg" type="image/svg+xml">
${stylesOf(part).map((name) => html`<link rel="stylesheet" href="${root}/assets/${name}">`)}
${scripts.map((name) => html`<script type="module" src="${root}/assets/${name}"></script>`)}
</head>
<body data-root="${root}">
<a class="skip" href="#main">Skip to content</a>
${hasResults ? html`<a class="skip" href="#count">Skip to results</a>` : ''}
${isAlone ? headerAlone(node) : header(node, part)}
<main id="main" tabindex="-1">
`;
}

/** A part that is one page has a style of its own beside that of all pages. */
function stylesOf(part: Page['part']): string[] {
  return part === undefined || part === 'components' ? ['shell.css'] : ['shell.css', `${part}.css`];
}

/** What search engines and messengers show of a link to the page (Open Graph protocol). */
function about({ baseUrl }: NodeView, title: string): Markup {
  const text = `A registry of web components at ${hostOf(baseUrl)}: which component renders which data.`;
  return html`<meta name="description" content="${text}">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${text}">
<meta property="og:type" content="website">`;
}

function header(node: NodeView, part: Page['part']): Markup {
  const root = rootPath(node.baseUrl);
  return html`<header class="top">
<a class="brand" href="${root}/">${logo()}<span>${hostOf(node.baseUrl)}</span></a>
<nav aria-label="Pages">${MENU.map((entry) => menuEntry(entry, part, root))}</nav>
</header>
${shippedNotice(node)}`;
}

function headerAlone({ baseUrl }: NodeView): Markup {
  return html`<header class="top"><p class="brand">${logo()}<span>${hostOf(baseUrl)}</span></p></header>`;
}

const ENDING_ALONE = html`
</main>
</body>
</html>
`;

function ending(node: NodeView): Markup {
  const root = rootPath(node.baseUrl);
  return html`
</main>
<footer class="foot">
<p>Component registry node, version ${node.version}: ${stateOf(node)}.</p>
<p>For programs: ${INTERFACES.map((path) => html`<a href="${root}${path}">${path}</a> `)}</p>
<p>For its operator: ${operatorNotice(node)}</p>
</footer>
</body>
</html>
`;
}

/** What the head of every document begins with. */
export function headElements(title: string): Markup {
  return html`<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>`;
}

const INTERFACES = ['/component', '/feed', '/peers', '/storage', '/status', '/openapi.json', '/host.js'];

function menuEntry(
  { part, path, label }: (typeof MENU)[number],
  current: Page['part'],
  root: string,
): Markup {
  return part === current
    ? html`<a href="${root}${path}" aria-current="true">${label}</a>`
    : html`<a href="${root}${path}">${label}</a>`;
}

export function hostOf(url: string): string {
  const { host, pathname } = new URL(url);
  return host + withoutTrailingSlashes(pathname);
}

/**
 * The logo of the software: a component with a place into which a shape of data fits. `src/pages/shell/mark.svg` is the same
 * as a file, for the tabs of browsers.
 */
function logo(): ReturnType<typeof html> {
  return html`<svg class="mark" viewBox="0 0 32 32" width="24" height="24" aria-hidden="true" focusable="false">
<path d="M9 3h7A8.5 8.5 0 0 0 29 14v9a6 6 0 0 1-6 6H9a6 6 0 0 1-6-6V9a6 6 0 0 1 6-6z"/><circle cx="22.5" cy="8.5" r="5.5"/></svg>`;
}
