import type { Layout } from './layout.js';

/** The tables of the connection service, in a schema of their own. */
export const RECORD_LAYOUT: Layout = {
  version: 2,
  statements: [
    'CREATE SCHEMA IF NOT EXISTS connection',
    // One row, which every change locks and moves by one. marks: of the latest changes, the last one first; so a node notices
    // that a database has gone back (record-tables.ts).
    `CREATE TABLE connection.head (
      id smallint PRIMARY KEY,
      version bigint NOT NULL,
      layout integer NOT NULL,
      marks text NOT NULL DEFAULT ''
    )`,
    // id is a hash of the key, which may be long; key and value are JSON. A record that is removed has no value, and
    // stays until every node has seen that.
    `CREATE TABLE connection.record (
      area text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      key text NOT NULL,
      value text,
      version bigint NOT NULL,
      written timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (area, id)
    )`,
    'CREATE INDEX record_version ON connection.record (version)',
    // graph and id are hashes; terms is JSON.
    `CREATE TABLE connection.quad (
      graph text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      terms text NOT NULL,
      PRIMARY KEY (graph, id)
    )`,
    // What tokens and invite links are signed with, so that those of one node are good at all of them.
    `CREATE TABLE connection.secret (
      id smallint PRIMARY KEY,
      secret text NOT NULL
    )`,
  ],
};
