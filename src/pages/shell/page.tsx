import type { JSX } from 'hono/jsx/jsx-runtime';
import { rootPath } from '../../http/paths.js';
import { withoutTrailingSlashes } from '../../lib/trailing-slashes.js';
import type { NodeView } from './view.js';

/** A piece of HTML: jsx of hono, or what its `html` makes. Both escape all values. */
export type Markup = JSX.Element;

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
const ABOUT = 'A registry of web components: which component renders which data.';
const INTERFACES = ['/component', '/feed', '/peers', '/storage', '/status', '/openapi.json', '/host.js'];

/** A whole page around its main part. */
export function renderPage(page: Page): string {
  return `<!doctype html>\n${<Layout {...page} />}\n`;
}

function Layout({ node, title, part, main, scripts = ['shell.js'], hasResults, isAlone }: Page) {
  const root = rootPath(node.baseUrl);
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} – ${hostOf(node.baseUrl)}`}</title>
        {stylesOf(part).map((name) => (
          <link rel="stylesheet" href={`${root}/assets/${name}`} />
        ))}
        {scripts.map((name) => (
          <script type="module" src={`${root}/assets/${name}`} />
        ))}
        {!isAlone && <meta name="description" content={ABOUT} />}
        <link rel="icon" href={`${root}/assets/shell.svg`} type="image/svg+xml" />
      </head>
      <body data-root={root}>
        <a class="skip" href="#main">
          Skip to content
        </a>
        {hasResults && (
          <a class="skip" href="#count">
            Skip to results
          </a>
        )}
        <Header node={node} part={part} isAlone={isAlone} />
        <main id="main" tabindex={-1}>
          {main}
        </main>
        {!isAlone && <Footer node={node} />}
      </body>
    </html>
  );
}

/** A part that is one page has a style of its own beside that of all pages. */
function stylesOf(part: Page['part']): string[] {
  return part === undefined || part === 'components' ? ['shell.css'] : ['shell.css', `${part}.css`];
}

function Header({ node, part, isAlone }: Pick<Page, 'node' | 'part' | 'isAlone'>) {
  const root = rootPath(node.baseUrl);
  const name = (
    <>
      <img class="mark" src={`${root}/assets/shell.svg`} width="24" height="24" alt="" />
      <span>{hostOf(node.baseUrl)}</span>
    </>
  );
  if (isAlone) {
    return (
      <header class="top">
        <p class="brand">{name}</p>
      </header>
    );
  }
  return (
    <header class="top">
      <a class="brand" href={`${root}/`}>
        {name}
      </a>
      <nav aria-label="Pages">
        {MENU.map((entry) => (
          <a href={root + entry.path} aria-current={entry.part === part ? 'true' : undefined}>
            {entry.label}
          </a>
        ))}
      </nav>
    </header>
  );
}

function Footer({ node }: Pick<Page, 'node'>) {
  const root = rootPath(node.baseUrl);
  return (
    <footer class="foot">
      <p>
        Component registry node, version {node.version}. How it fares, and what its operator decides:{' '}
        <a href={`${root}/network`}>/network</a>
      </p>
      <p>
        For programs:{' '}
        {INTERFACES.map((path) => (
          <>
            <a href={root + path}>{path}</a>{' '}
          </>
        ))}
      </p>
    </footer>
  );
}

export function hostOf(url: string): string {
  const { host, pathname } = new URL(url);
  return host + withoutTrailingSlashes(pathname);
}
