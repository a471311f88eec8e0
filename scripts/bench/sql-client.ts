/**
 * What a node on PostgreSQL is measured against: the SQL of a shape query through `pg`, and nothing else. Told
 * `{ url, shapes, connections, ms }`, it asks for one shape after another on so many connections, and tells how many
 * answers came in a second.
 */
import pg from 'pg';

export interface SqlOrder {
  readonly url: string;
  readonly shapes: readonly string[];
  readonly connections: number;
  readonly ms: number;
}

const TEXT = `SELECT s.uri, s.payload, s.changed_at, d.url AS document, r.kind, r.url
  FROM registry.posting AS p
  JOIN registry.statement AS s ON s.uri = p.uri AND s.served
  JOIN registry.document AS d ON d.id = s.document
  JOIN registry.source AS r ON r.id = s.source
  WHERE p.term = $1 ORDER BY p.uri LIMIT 1001`;

let asked = 0;

async function ask({ url, shapes, connections, ms }: SqlOrder): Promise<{ rate: number; rows: number }> {
  const pool = new pg.Pool({ connectionString: url, max: connections });
  const ends = performance.now() + ms;
  const counts = { answers: 0, rows: 0 };
  await Promise.all(
    Array.from({ length: connections }, async () => {
      const client = await pool.connect();
      while (performance.now() < ends) {
        asked += 1;
        const { rows } = await client.query({
          name: 'shape',
          text: TEXT,
          values: [`s${shapes[asked % shapes.length]}`],
        });
        counts.answers += 1;
        counts.rows += rows.length;
      }
      client.release();
    }),
  );
  await pool.end();
  return { rate: (counts.answers * 1000) / ms, rows: counts.rows / counts.answers };
}

process.on('message', (order: SqlOrder) => {
  ask(order).then(
    (result) => process.send?.({ result }),
    (error: Error) => process.send?.({ error: error.message }),
  );
});
