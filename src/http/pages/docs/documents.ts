import { readdirSync, readFileSync } from 'node:fs';
import { compareText } from '../../../lib/compare-text.js';
import { unlessMissing } from '../../../lib/missing-file.js';
import { type Rendered, renderMarkdown, type Targets } from './markdown.js';

/** One Markdown file of the package as a page of the site. */
export interface DocumentPage extends Rendered {
  /** The last part of its path, `/docs/<name>`; empty for the README, which is the first page. */
  readonly name: string;
  readonly title: string;
}

/** The documentation of the package that the node runs from. */
export interface Documentation {
  /** What there is, in the order of the menu. */
  readonly names: readonly string[];
  /** One page; undefined when there is none of that name. */
  page(name: string): DocumentPage | undefined;
  /** A picture of the documents, in PNG or SVG as its name ends; undefined when there is none of that name. */
  picture(name: string): Uint8Array | undefined;
}

const PICTURES = 'docs/pictures/';
const SITE = '/docs';

/** Files in the order in which readers want them; those that are not named here follow, then those for developers. */
const FIRST = [
  'README.md',
  'docs/web-developers.md',
  'docs/authors.md',
  'docs/operators.md',
  'docs/connections.md',
];
const LAST = [
  'docs/security.md',
  'docs/performance.md',
  'docs/network.md',
  'docs/architecture.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
];

/**
 * The documentation in a package (a URL with a slash at the end); its files are read when they are first asked for.
 * @param root path of the node's root, without a slash at the end, for links
 */
export function documentationIn(folder: URL, root: string): Documentation {
  const files = new Map(filesIn(folder).map((file) => [nameOf(file), file]));
  const read = new Map<string, DocumentPage>();
  const pictures = new Map(
    entriesOf(new URL(PICTURES, folder))
      .filter((name) => /\.(png|svg)$/.test(name))
      .map((name) => [name, undefined as Uint8Array | undefined]),
  );
  return {
    names: [...files.keys()],
    page(name) {
      const file = files.get(name);
      if (file === undefined) return undefined;
      const page = read.get(name) ?? readPage(folder, file, targetsFrom(file, new Set(files.values()), root));
      read.set(name, page);
      return page;
    },
    picture(name) {
      if (!pictures.has(name)) return undefined;
      const picture = pictures.get(name) ?? readFileSync(new URL(PICTURES + name, folder));
      pictures.set(name, picture);
      return picture;
    },
  };
}

function readPage(folder: URL, file: string, targets: Targets): DocumentPage {
  const rendered = renderMarkdown(readFileSync(new URL(file, folder), 'utf8'), targets);
  return { ...rendered, name: nameOf(file), title: rendered.sections[0]?.heading ?? file };
}

/** The Markdown files of a package, by their paths, in the order of the menu. */
function filesIn(folder: URL): string[] {
  const inDocs = entriesOf(new URL('docs/', folder)).map((name) => `docs/${name}`);
  const there = [...entriesOf(folder), ...inDocs].filter((path) => path.endsWith('.md'));
  const others = there.filter(
    (path) => inDocs.includes(path) && !FIRST.includes(path) && !LAST.includes(path),
  );
  return [...FIRST, ...others.sort(compareText), ...LAST].filter((path) => there.includes(path));
}

/** `docs/web-developers.md` is `web-developers`. */
function nameOf(file: string): string {
  return file === 'README.md' ? '' : file.replace(/^docs\/|\.md$/g, '').toLowerCase();
}

/** Links between the files become links between the pages; those to other files of the repository become text. */
function targetsFrom(file: string, files: ReadonlySet<string>, root: string): Targets {
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
      return `${root}${SITE}${name === '' ? '' : `/${name}`}${target.hash}`;
    },
    picture(src) {
      const { path = '' } = fromTop(src) ?? {};
      return path.startsWith(PICTURES) ? `${root}${SITE}/pictures/${path.slice(PICTURES.length)}` : undefined;
    },
  };
}

/** The names in a folder; none when it is not there, as where a node runs without its documents. */
function entriesOf(folder: URL): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    return unlessMissing(error) ?? [];
  }
}
