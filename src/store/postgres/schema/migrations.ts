/** A step of the layout: each is run once, in its own transaction, and never changed once a program may have taken it. */
export interface Migration {
  readonly version: number;
  /** What an earlier step has not made in every database that took it; run before the statements. */
  readonly completes?: readonly Completion[];
  readonly statements: readonly string[];
}

/** Statements for a database that lacks this column, which they make. */
export interface Completion {
  readonly column: readonly [table: string, column: string];
  readonly statements: readonly string[];
}

/** Escapes of JSON that PostgreSQL has no characters for: U+0000 and halves of characters. */
const UNREADABLE = '\\\\u(0000|d[89a-f])';

/** Postings of shapes under http://schema.org/ (terms.ts); `0` is the character after `/`. */
const HTTP_SCHEMA = "p.term >= 'shttp://schema.org/' AND p.term < 'shttp://schema.org0'";

const COMMIT_TOKEN_MADE = 'CREATE INDEX IF NOT EXISTS commit_token_made ON registry.commit_token (made)';
/** What a poll must know so that its changes are taken (PostgresLease). */
const LEASE_TOKEN = "ALTER TABLE registry.lease ADD COLUMN token text NOT NULL DEFAULT ''";
const SAID_AT = [
  // Since when it is said, where changed_at is when its pin changed.
  'ALTER TABLE registry.statement ADD COLUMN said_at bigint',
  // What a stranger promised could become a pin: the modules are looked at anew.
  'UPDATE registry.statement SET pin = NULL WHERE pin IS NOT NULL',
  'DELETE FROM registry.pin',
];
const TERM_COUNT = [
  // How many components have each term that is counted (COUNTED_KINDS), kept at each commit.
  'CREATE TABLE registry.term_count (term text COLLATE "C" PRIMARY KEY, count bigint NOT NULL)',
  `INSERT INTO registry.term_count (term, count)
   SELECT term, count(*) FROM registry.posting WHERE substr(term, 1, 1) IN ('a', 's', 't', 'v') GROUP BY term`,
  // Terms of kinds that an earlier release did not have. JSON that cannot be read back as text has none.
  `INSERT INTO registry.posting (term, uri)
   SELECT 'd' || md5(s.payload::json ->> 'description'), s.uri FROM registry.statement AS s
   WHERE s.served AND s.payload !~ '${UNREADABLE}' AND s.payload::json ->> 'description' IS NOT NULL`,
  `INSERT INTO registry.posting (term, uri)
   SELECT 'i' || (s.payload::json ->> 'latest'), s.uri FROM registry.statement AS s
   WHERE s.served AND s.payload !~ '${UNREADABLE}' AND s.payload::json ->> 'latest' IS NOT NULL`,
  // How many served statements there are of each document is told by the index alone.
  'DROP INDEX registry.statement_document',
  'CREATE INDEX statement_document_served ON registry.statement (document, served)',
];
const POLL = [
  `CREATE TABLE registry.poll (
    id smallint PRIMARY KEY,
    number bigint NOT NULL
  ) WITH (fillfactor = 50)`,
  'INSERT INTO registry.poll (id, number) VALUES (1, 0)',
];
const STANDING_INDEXES = [
  'CREATE INDEX IF NOT EXISTS document_said_by ON registry.document (said_by)',
  'CREATE INDEX IF NOT EXISTS document_trust ON registry.document (trust)',
];

/** The steps 1, 4 and 5 have grown after programs had taken them, the last one of 0.1.0 among these. */
const GROWN: readonly Completion[] = [
  {
    column: ['source', 'polled'],
    statements: [
      'ALTER TABLE registry.source ADD COLUMN polled bigint NOT NULL DEFAULT 0, ADD COLUMN polled_by text',
      ...POLL,
    ],
  },
  { column: ['lease', 'token'], statements: [LEASE_TOKEN] },
  { column: ['statement', 'said_at'], statements: [COMMIT_TOKEN_MADE, ...SAID_AT] },
  { column: ['term_count', 'count'], statements: TERM_COUNT },
];

/**
 * Text is compared by its bytes (`COLLATE "C"`), so that order is the same on every server. Tables have B-tree indexes and
 * nothing else that only some engines of this protocol understand; test/store/postgres/portable-sql.test.ts says what.
 */
export const MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    statements: [
      // One row. Each commit that changes what readers see updates it late, so that commits have one order.
      `CREATE TABLE registry.head (
        id smallint PRIMARY KEY,
        version bigint NOT NULL,
        epoch text NOT NULL,
        revision bigint NOT NULL,
        since bigint NOT NULL,
        network_revision bigint NOT NULL,
        network_since bigint NOT NULL,
        network text NOT NULL,
        components bigint NOT NULL,
        position bigint NOT NULL,
        changed_at bigint NOT NULL,
        floor bigint NOT NULL,
        digest text NOT NULL,
        states bigint NOT NULL,
        tombstones bigint NOT NULL,
        base_url text NOT NULL,
        namespace text NOT NULL,
        served_as text NOT NULL
      ) WITH (fillfactor = 50)`,
      // polled is the number of its latest poll, in the order in which they were stored: that is how nodes hear of them.
      // rank, count, digest and position are the line of the source in the feed; count is 0 when it has none.
      `CREATE TABLE registry.source (
        id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
        key text COLLATE "C" NOT NULL UNIQUE,
        kind text NOT NULL,
        url text NOT NULL,
        record text NOT NULL,
        rank bigint NOT NULL,
        count bigint NOT NULL DEFAULT 0,
        digest text NOT NULL DEFAULT '',
        position bigint NOT NULL DEFAULT 0,
        polled bigint NOT NULL DEFAULT 0,
        polled_by text
      )`,
      `CREATE TABLE registry.source_hash (
        source bigint NOT NULL,
        key text COLLATE "C" NOT NULL,
        belongs_to text NOT NULL,
        hash text NOT NULL,
        PRIMARY KEY (source, key)
      )`,
      `CREATE TABLE registry.document (
        id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
        source bigint NOT NULL,
        key text COLLATE "C" NOT NULL,
        url text NOT NULL,
        rank bigint NOT NULL,
        record text NOT NULL,
        components bigint NOT NULL,
        UNIQUE (source, key)
      )`,
      // What one document says of one component. uri is its key in the order of uris (order-key.ts), payload the metadata.
      `CREATE TABLE registry.statement (
        uri text COLLATE "C" NOT NULL,
        document bigint NOT NULL,
        source bigint NOT NULL,
        payload text NOT NULL,
        search text COLLATE "C" NOT NULL,
        position bigint NOT NULL,
        changed_at bigint NOT NULL,
        is_update boolean NOT NULL,
        served boolean NOT NULL,
        PRIMARY KEY (uri, document)
      )`,
      'CREATE INDEX statement_document ON registry.statement (document)',
      'CREATE INDEX statement_position ON registry.statement (position)',
      'CREATE INDEX statement_source_position ON registry.statement (source, position)',
      // By what served components can be found: a kind and a value in one text (terms.ts), in the order of uris.
      `CREATE TABLE registry.posting (
        term text COLLATE "C" NOT NULL,
        uri text COLLATE "C" NOT NULL,
        PRIMARY KEY (term, uri)
      )`,
      `CREATE TABLE registry.tombstone (
        key text COLLATE "C" PRIMARY KEY,
        position bigint NOT NULL,
        changed_at bigint NOT NULL,
        kind text NOT NULL,
        url text NOT NULL,
        document text NOT NULL,
        uri text COLLATE "C" NOT NULL,
        full_uri text NOT NULL
      )`,
      'CREATE INDEX tombstone_position ON registry.tombstone (position)',
      'CREATE INDEX tombstone_uri ON registry.tombstone (uri)',
      `CREATE TABLE registry.state (
        position bigint PRIMARY KEY,
        digest text NOT NULL
      )`,
      // The nodes that are running: who has not been heard of for a while is gone.
      `CREATE TABLE registry.node (
        id text PRIMARY KEY,
        base_url text NOT NULL,
        seen timestamptz NOT NULL
      )`,
      ...POLL,
      // Who polls which source at present.
      `CREATE TABLE registry.lease (
        key text COLLATE "C" PRIMARY KEY,
        node text NOT NULL,
        until timestamptz NOT NULL
      )`,
    ],
  },
  {
    version: 2,
    statements: [
      // What has been seen of a module, by its uri and version; value is the pin as JSON.
      `CREATE TABLE registry.pin (
        key text COLLATE "C" PRIMARY KEY,
        is_changed boolean NOT NULL,
        value text NOT NULL
      )`,
      'CREATE INDEX pin_changed ON registry.pin (is_changed, key)',
      // What readers see of it, beside each statement about that version.
      'ALTER TABLE registry.statement ADD COLUMN pin text',
    ],
  },
  {
    version: 3,
    statements: [
      // By which it is told without reading the payload whether a document still says the same (payloadMark); null where an
      // earlier release has written the row.
      'ALTER TABLE registry.statement ADD COLUMN mark text COLLATE "C"',
    ],
  },
  {
    version: 4,
    statements: [
      // Tells versions of the head with the same number apart, in a database that has gone back (writing/history.ts).
      "ALTER TABLE registry.head ADD COLUMN mark text NOT NULL DEFAULT ''",
      COMMIT_TOKEN_MADE,
      LEASE_TOKEN,
      ...SAID_AT,
      ...TERM_COUNT,
    ],
  },
  {
    version: 5,
    statements: [
      // Where what the document says stands (`Standing`), as rank does; each node works it out at its start where the
      // configuration is another one, and so for what an earlier release has written.
      ...['said_kind', 'said_by', 'name', 'class', 'trust'].map(
        (column) => `ALTER TABLE registry.document ADD COLUMN IF NOT EXISTS ${column} text`,
      ),
      ...STANDING_INDEXES,
    ],
  },
  {
    version: 6,
    statements: [
      // How many of its statements are served, kept at each commit.
      'ALTER TABLE registry.document ADD COLUMN IF NOT EXISTS served bigint NOT NULL DEFAULT 0',
      `UPDATE registry.document AS d SET served = c.count
       FROM (SELECT document, count(*) AS count FROM registry.statement WHERE served GROUP BY document) AS c
       WHERE d.id = c.document`,
      // Components that several documents describe.
      'CREATE INDEX statement_shadowed ON registry.statement (uri) WHERE NOT served',
    ],
  },
  {
    version: 7,
    completes: GROWN,
    statements: [
      ...STANDING_INDEXES,
      // The two spellings of schema.org are one shape, which is found under https; longer values have a hash that only a node can
      // make, and are found once their components are described anew.
      `INSERT INTO registry.posting (term, uri)
       SELECT 'shttps' || substr(p.term, 6), p.uri FROM registry.posting AS p
       WHERE ${HTTP_SCHEMA} AND octet_length(p.term) <= 600 AND NOT EXISTS (
         SELECT 1 FROM registry.posting AS o WHERE o.term = 'shttps' || substr(p.term, 6) AND o.uri = p.uri)`,
      `DELETE FROM registry.posting AS p WHERE ${HTTP_SCHEMA} AND octet_length(p.term) <= 600`,
      "DELETE FROM registry.term_count WHERE substr(term, 1, 1) = 's'",
      `INSERT INTO registry.term_count (term, count)
       SELECT term, count(*) FROM registry.posting WHERE substr(term, 1, 1) = 's' GROUP BY term`,
    ],
  },
];
