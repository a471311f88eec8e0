import { readFileSync } from 'node:fs';
import { unlessMissing } from '../../lib/missing-file.js';

/** One Markdown file of the package as a page of the site. */
export interface DocumentPage {
  /** The last part of its path, `/docs/<name>`; empty for the README, which is the first page. */
  readonly name: string;
  readonly title: string;
  /** Its links to other pages and to pictures begin with `/docs`. */
  readonly html: string;
  readonly sections: readonly Section[];
}

/** A part of a document below one heading: its anchor, and how deep it is, 1 to 6. */
export interface Section {
  readonly id: string;
  readonly heading: string;
  readonly depth: number;
}

/** Where the build writes the pages, in the folder of the package. */
export const DOCUMENTS_FILE = 'dist/documents.json';
const PICTURE_NAME = /^[\w-]+\.(png|svg)$/;

export type Documentation = ReturnType<typeof documentationIn>;

/** The documentation in a package (a URL with a slash at the end), as the build has rendered it; read when it is first asked for. */
export function documentationIn(folder: URL) {
  let pages: readonly DocumentPage[] | undefined;
  return {
    /** In the order of the menu. */
    pages(): readonly DocumentPage[] {
      pages ??= JSON.parse(readFileSync(new URL(DOCUMENTS_FILE, folder), 'utf8')) as DocumentPage[];
      return pages;
    },
    /** A picture of the documents, in PNG or SVG as its name ends; undefined when there is none of that name. */
    picture(name: string): Uint8Array | undefined {
      if (!PICTURE_NAME.test(name)) return undefined;
      try {
        return readFileSync(new URL(`docs/pictures/${name}`, folder));
      } catch (error) {
        return unlessMissing(error);
      }
    },
  };
}
