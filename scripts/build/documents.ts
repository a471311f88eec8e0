import { readdirSync, readFileSync } from 'node:fs';
import { compareText } from '../../src/lib/compare-text.js';
import type { DocumentPage } from '../../src/pages/docs/documentation.js';
import { renderMarkdown, type Targets } from './markdown.js';

const SITE = '/docs';
const PICTURES = 'docs/pictures/';

/** Files in the order in which readers want them; those that are not named here follow, then those for developers. */
const FIRST = ['README.md', ...inDocs('web-developers', 'authors', 'operators', 'connections')];
const LAST = [
  ...inDocs('security', 'performance', 'network', 'architecture'),
  'CONTRIBUTING.md',
  'CHANGELOG.md',
];

/**
 * The Markdown files of the package (a URL with a slash at the end) as pages of the site, in the order of its menu. Their
 * links lead to paths below `/docs`.
 */
export function renderDocuments(folder: URL): DocumentPage[] {
  const files = filesIn(folder);
  return files.map((file) => {
    const markdown = readFileSync(new URL(file, folder), 'utf8');
    const { html, sections } = renderMarkdown(markdown, targetsFrom(file, new Set(files)));
    const [first] = sections;
    return { name: nameOf(file), title: first?.heading ?? file, html, sections };
  });
}

/** The Markdown files of the package, by their paths, in the order of the menu. */
function filesIn(folder: URL): string[] {
  const all = readdirSync(new URL('docs/', folder)).filter((name) => name.endsWith('.md'));
  const others = all
    .map((name) => `docs/${name}`)
    .filter((path) => !FIRST.includes(path) && !LAST.includes(path));
  return [...FIRST, ...others.sort(compareText), ...LAST];
}

/** `docs/web-developers.md` is `web-developers`, the README is the first page, without a name. */
function nameOf(file: string): string {
  return file === 'README.md' ? '' : file.replace(/^docs\/|\.md$/g, '').toLowerCase();
}

/** Links between the files become links between the pages; those to other files of the repository become text. */
function targetsFrom(file: string, files: ReadonlySet<string>): Targets {
  /** A path from the top of the package; undefined for what leads elsewhere. */
  const fromTop = (href: string) => {
    const url = new URL(href, `file:///${file}`);
    return url.protocol === 'file:' ? { path: url.pathname.slice(1), hash: url.hash } : undefined;
  };
  return {
    link(href) {
      if (/^https?:\/\//i.test(href)) return href;
      const target = fromTop(href);
      if (!target || !files.has(target.path)) return undefined;
      const name = nameOf(target.path);
      return `${SITE}${name === '' ? '' : `/${name}`}${target.hash}`;
    },
    picture(src) {
      const { path = '' } = fromTop(src) ?? {};
      return path.startsWith(PICTURES) ? `${SITE}/pictures/${path.slice(PICTURES.length)}` : undefined;
    },
  };
}

function inDocs(...names: string[]): string[] {
  return names.map((name) => `docs/${name}.md`);
}
