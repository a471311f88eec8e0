/** The served statements `s` that match a query, as the parts of a statement of SQL. */
export interface Selection {
  readonly from: string;
  readonly where: readonly string[];
  /** The column that they are ordered by. */
  readonly uri: string;
  /** All columns that have the same values: a bound on each of them is one on what is read of each table. */
  readonly uris: readonly string[];
  readonly values: readonly unknown[];
  /** Further conditions on `s`, which no index answers: of what is selected, so much is looked through at a time (`through`). */
  readonly filters: readonly string[];
  /** The values of everything but the filters. */
  readonly unfiltered: readonly unknown[];
  /** Set where it is everything, or everything with one term. */
  readonly simple?: { readonly term?: string };
  /** How many components it selects, where that is known. */
  readonly count?: number | undefined;
  /** The same without `s`, as uris of `p0`: where terms and filters alone select. */
  readonly indexed?: Pick<Selection, 'from' | 'where' | 'uris'>;
}

/** Terms of one query that are joined; the tables of more of them would take the server long to put in order. */
const JOINED = 6;
/** Statements that are looked through at a time for what no index answers. */
export const LOOKED = 2_000;

/** What a selection reads; `bound`: only behind this uri. Where there are filters, they are among what is looked through. */
export function through(selection: Selection, bound?: string): Pick<Selection, 'from' | 'where' | 'uri'> {
  const { from, where, filters, uri } = selection;
  if (filters.length === 0) return { from, where: [...where, ...behind(selection, bound)], uri };
  return { from: `(${inOrder(selection, { bound })}) AS s`, where: filters, uri: 's.uri' };
}

/**
 * Some of what a selection has without its filters, in their order. Where the index tells which, each is looked up when it is
 * known: a server that underestimates how many there are would read all of them, and whole tables.
 */
export function inOrder(
  { from, where, uri, uris, indexed }: Selection,
  { bound, most = LOOKED, offset = 0 }: { bound?: string | undefined; most?: number; offset?: number },
): string {
  const rows = `ORDER BY ${uri} LIMIT ${most} OFFSET ${offset}`;
  if (!indexed)
    return `SELECT s.* FROM ${from} WHERE ${[...where, ...behind({ uris }, bound)].join(' AND ')} ${rows}`;
  const found = [...indexed.where, ...behind(indexed, bound)].join(' AND ');
  return `SELECT s.* FROM (SELECT p0.uri FROM ${indexed.from} WHERE ${found} ${rows}) AS m
    CROSS JOIN LATERAL (SELECT s.* FROM registry.statement AS s WHERE s.uri = m.uri AND s.served LIMIT 1) AS s`;
}

export function behind({ uris }: Pick<Selection, 'uris'>, bound: string | undefined): string[] {
  return bound === undefined ? [] : uris.map((uri) => `${uri} > ${bound}`);
}

/** Everything. */
export const ALL: Selection = {
  from: 'registry.statement AS s',
  where: ['s.served'],
  uri: 's.uri',
  uris: ['s.uri'],
  values: [],
  filters: [],
  unfiltered: [],
  simple: {},
};

export type Add = (value: unknown) => string;

/** Puts a selection together from terms and conditions. */
export class SelectionBuilder {
  readonly #terms = new Set<string>();
  /** Of these, each component has one at most. */
  #oneOf: readonly string[] | undefined;
  /** How many components have one of the terms that were asked for last, where each has one at most. */
  #count: number | undefined;
  readonly #values: unknown[] = [];
  readonly #where: string[] = ['s.served'];
  readonly #filters: ((add: Add) => string)[] = [];

  term(text: string): void {
    this.#terms.add(text);
  }

  oneOf(terms: readonly string[]): void {
    const [first] = terms;
    if (first !== undefined && terms.length === 1) this.term(first);
    else this.#oneOf = terms;
  }

  /** `count`: of very many that have one, each is looked at by itself, and they are not put in order before. */
  anyTerm(terms: readonly string[], count?: number): void {
    this.#count = count;
    const among = (add: Add) => `FROM registry.posting AS p WHERE p.term = ANY(${add(terms)}::text[])`;
    this.condition((add) =>
      count === undefined
        ? `s.uri IN (SELECT p.uri ${among(add)})`
        : `(SELECT true ${among(add)} AND p.uri = s.uri LIMIT 1)`,
    );
  }

  condition(write: (add: Add) => string): void {
    this.#where.push(write((value) => this.#add(value)));
  }

  filter(write: (add: Add) => string): void {
    this.#filters.push(write);
  }

  selection(): Selection {
    const terms = [...this.#terms];
    const isOfTerms = this.#where.length === 1;
    const isPlain = isOfTerms && this.#filters.length === 0;
    const joined = terms
      .slice(0, JOINED)
      .map((text) => (table: string) => `${table}.term = ${this.#add(text)}`);
    const oneOf = this.#oneOf;
    if (oneOf) joined.push((table) => `${table}.term = ANY(${this.#add(oneOf)}::text[])`);
    const [first] = joined;
    if (!first) {
      if (isPlain) return ALL;
      const count = this.#where.length + this.#filters.length === 2 ? this.#count : undefined;
      return { ...ALL, simple: undefined, where: this.#where, count, ...this.#filtered() };
    }
    const others = terms.slice(JOINED);
    const tables = joined
      .map((has, i) =>
        i === 0
          ? 'registry.posting AS p0'
          : `JOIN registry.posting AS p${i} ON p${i}.uri = p0.uri AND ${has(`p${i}`)}`,
      )
      .join(' ');
    const where = [first('p0')];
    if (others.length > 0) {
      where.push(`p0.uri IN (SELECT p.uri FROM registry.posting AS p WHERE p.term = ANY(${this.#add(others)}::text[])
        GROUP BY p.uri HAVING count(*) = ${this.#add(others.length)}::int)`);
    }
    const [single] = terms;
    const uris = joined.map((_, i) => `p${i}.uri`);
    return {
      from: `${tables} JOIN registry.statement AS s ON s.uri = p0.uri`,
      where: [...where, ...this.#where],
      uri: 'p0.uri',
      uris: ['s.uri', ...uris],
      ...this.#filtered(),
      ...(isOfTerms ? { indexed: { from: tables, where, uris } } : {}),
      ...(isPlain && joined.length === 1 && single !== undefined ? { simple: { term: single } } : {}),
    };
  }

  /** To be called last. */
  #filtered(): Pick<Selection, 'filters' | 'unfiltered' | 'values'> {
    const unfiltered = [...this.#values];
    const filters = this.#filters.map((write) => write((value) => this.#add(value)));
    return { filters, unfiltered, values: this.#values };
  }

  #add(value: unknown): string {
    this.#values.push(value);
    return `$${this.#values.length}`;
  }
}
