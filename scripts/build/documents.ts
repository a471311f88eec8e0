import { readFileSync } from 'node:fs';
import type { DocumentPage } from '../../src/pages/docs/documentation.js';
import { renderMarkdown, type Targets } from './markdown.js';

const SITE = '/docs';
const inDocs = (...names: string[]) => names.map((name) => `docs/${name}.md`);

/** In the order in which readers want them; those for developers come last. */
const FILES = [
  'README.md',
  ...inDocs('web-developers', 'authors', 'operators', 'connections', 'feed'),
  ...inDocs('security', 'performance', 'network', 'architecture'),
  ...['CONTRIBUTING.md', 'CHANGELOG.md'],
];

/**
 * The Markdown files of the package (a URL with a slash at the end) as pages of the site, in the order of its menu. Their
 * links lead to paths below `/docs`.
 */
export function renderDocuments(folder: URL): DocumentPage[] {
  return FILES.map((file) => {
    const { html, sections } = renderMarkdown(readFileSync(new URL(file, folder), 'utf8'), targetsFrom(file));
    return { name: nameOf(file), title: sections[0]?.heading ?? file, html, sections };
  });
}

/** `docs/web-developers.md` is `web-developers`, the README is the first page, without a name. */
function nameOf(file: string): string {
  return file === 'README.md' ? '' : file.replace(/^docs\/|\.md$/g, '').toLowerCase();
}

/** Links between the files become links between the pages; those to other files of the repository become text. */
function targetsFrom(file: string): Targets {
  const fromTop = (href: string) => new URL(href, `file:///${file}`);
  return {
    link(href) {
      const { protocol, pathname, hash } = fromTop(href);
      if (protocol !== 'file:') return /^https?:$/.test(protocol) ? href : undefined;
      const target = pathname.slice(1);
      return FILES.includes(target) ? `${SITE}/${nameOf(target)}`.replace(/\/$/, '') + hash : undefined;
    },
    picture(src) {
      const [, name] = /^file:\/\/\/docs\/pictures\/(.*)$/.exec(fromTop(src).href) ?? [];
      return name && `${SITE}/pictures/${name}`;
    },
  };
}
