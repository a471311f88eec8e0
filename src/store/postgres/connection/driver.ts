import type pg from 'pg';

/** The client library. It is loaded when the engine is chosen: nodes that keep their data on disk do without it. */
export type Driver = typeof pg;

export async function loadDriver(): Promise<Driver> {
  const { default: driver } = await import('pg');
  return driver;
}

/** What PostgreSQL calls the type of 64-bit integers. */
const INT8 = 20;

/** How values are read: 64-bit integers as numbers, because none of ours is larger than 2^53. */
export function typesOf({ types }: Driver): pg.CustomTypesConfig {
  return {
    getTypeParser(oid: number, format?: 'text' | 'binary') {
      return oid === INT8 ? Number : types.getTypeParser(oid, format);
    },
  } as pg.CustomTypesConfig;
}
