/** The highest number of a page that is read. */
const MOST_PAGES = 1_000_000;

/** The `page` of the parameters, from 1; 1 where it is no such number. */
export function readPage(parameters: URLSearchParams): number {
  const page = Number(parameters.get('page') ?? 1);
  return Number.isInteger(page) && page >= 1 && page <= MOST_PAGES ? page : 1;
}

export interface PageLinksProps {
  /** Number of this page, from 1. */
  readonly page: number;
  /** Items on a page. */
  readonly size: number;
  /** Items on all pages. */
  readonly of: number;
  readonly link: (page: number) => string;
}

/** Where this page stands among all, with links to its neighbours: `Previous  51–100 of 2,000  Next`. */
export function pageLinks({ page, size, of, link }: PageLinksProps) {
  const [first, last] = [(page - 1) * size + 1, Math.min(page * size, of)];
  const [from, to, all] = [first, last, of].map((number) => number.toLocaleString('en'));
  return (
    <nav class="pages" aria-label="More pages">
      {page > 1 ? (
        <a rel="prev" href={link(page - 1)}>
          Previous
        </a>
      ) : (
        <span />
      )}
      <span>
        {from}–{to} of {all}
      </span>
      {last < of ? (
        <a rel="next" href={link(page + 1)}>
          Next
        </a>
      ) : (
        <span />
      )}
    </nav>
  );
}
