import { expect, it } from 'vitest';
import { createLog } from '../../src/lib/log.js';

function written() {
  const lines: string[] = [];
  const log = createLog({ destination: { write: (line) => void lines.push(line) } });
  return { log, lines };
}

it('a log writes secrets nowhere', () => {
  const { log, lines } = written();
  const secrets = {
    authorization: 's3',
    Cookie: 's3',
    DPoP: 's3',
    token: 's3',
    secret: 's3',
    'set-cookie': 's3',
  };
  log
    .child(secrets)
    .info({ ...secrets, request: { headers: secrets }, connection: { configuration: { key: 's3' } } });
  log.error({ err: Object.assign(new Error('refused'), secrets) });
  expect(lines).toHaveLength(2);
  expect(lines.join('')).not.toContain('s3');
  expect(lines.join('')).toContain('[redacted]');
});
