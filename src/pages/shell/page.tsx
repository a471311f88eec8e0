import { hostOf, link, type Markup } from './fragments.js';

/** What every page shows of its node. */
export interface NodeView {
  /** Public URL of the node. */
  readonly baseUrl: string;
  /** Its path, with which links to other pages begin, without a slash at the end: mostly empty. */
  readonly root: string;
  readonly version: string;
  /** URLs of data that the samples are shown with; none while they are not listed. */
  readonly sampleData?: readonly string[];
}

export interface Page {
  readonly node: NodeView;
  /** Of the page alone: the node stands behind it. */
  readonly title: string;
  /** Which entry of the menu the page belongs to; none when absent. */
  readonly part?: keyof typeof MENU;
  readonly main: Markup;
  /** The scripts that the page loads; that of the shell when absent. A page whose URL is a secret loads none. */
  readonly scripts?: readonly string[];
  /** Does it have an element with the id `count` that says how much was found, before all of that? */
  readonly hasResults?: boolean;
  /** Without the menu and what is for programs: for visitors who have been sent to this one page. */
  readonly isAlone?: boolean;
}

const MENU = {
  components: { path: '/', label: 'Components' },
  network: { path: '/network', label: 'Network' },
  publish: { path: '/publish', label: 'Publish' },
  docs: { path: '/docs', label: 'Docs' },
} as const;
const ABOUT = 'A registry of web components: which component renders which data.';
const INTERFACES = ['/component', '/feed', '/peers', '/storage', '/status', '/openapi.json', '/host.js'];

/** A whole page around its main part. */
export function renderPage(page: Page): string {
  return `<!doctype html>\n${<Layout {...page} />}\n`;
}

function Layout({ node, title, part, main, scripts = ['shell.js'], hasResults, isAlone }: Page) {
  const { root } = node;
  const host = hostOf(node.baseUrl);
  // A part that is one page has a style of its own beside that of all pages.
  const styles = part === undefined || part === 'components' ? ['shell'] : ['shell', part];
  const skipTo = (id: string, what: string) => <a {...{ class: 'skip', href: `#${id}` }}>Skip to {what}</a>;
  const brand = (
    <>
      <img class="mark" src={`${root}/assets/shell.svg`} width="24" height="24" alt="" />
      <span>{host}</span>
    </>
  );
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} – ${host}`}</title>
        {styles.map((name) => (
          <link rel="stylesheet" href={`${root}/assets/${name}.css`} />
        ))}
        {scripts.map((name) => (
          <script type="module" src={`${root}/assets/${name}`} />
        ))}
        {!isAlone && <meta name="description" content={ABOUT} />}
        <link rel="icon" href={`${root}/assets/shell.svg`} type="image/svg+xml" />
      </head>
      <body data-root={root}>
        {skipTo('main', 'content')}
        {hasResults && skipTo('count', 'results')}
        <header class="top">
          {isAlone ? <p class="brand">{brand}</p> : <a {...{ class: 'brand', href: `${root}/` }}>{brand}</a>}
          {!isAlone && (
            <nav aria-label="Pages">
              {Object.entries(MENU).map(([name, { path, label }]) => (
                <a {...{ href: root + path, 'aria-current': name === part ? 'true' : undefined }}>{label}</a>
              ))}
            </nav>
          )}
        </header>
        <main id="main" tabindex={-1}>
          {main}
        </main>
        {!isAlone && (
          <footer class="foot">
            <p>
              Component registry node, version {node.version}. How it fares, and what its operator decides:{' '}
              {link(`${root}/network`, '/network')}
            </p>
            <p>For programs: {INTERFACES.map((path) => [link(root + path, path), ' '])}</p>
          </footer>
        )}
      </body>
    </html>
  );
}
