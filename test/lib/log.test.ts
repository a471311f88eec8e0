import { expect, it } from 'vitest';
import { createLog } from '../../src/lib/log.js';

it('a log writes secrets nowhere', () => {
  const lines: string[] = [];
  const log = createLog({ destination: { write: (line) => void lines.push(line) } });
  const names = ['authorization', 'Cookie', 'DPoP', 'token', 'secret', 'set-cookie'];
  const secrets = Object.fromEntries(names.map((name) => [name, 's3']));
  log
    .child(secrets)
    .info({ ...secrets, request: { headers: secrets }, connection: { configuration: { key: 's3' } } });
  log.error({ err: Object.assign(new Error('refused'), secrets) });
  expect(lines).toHaveLength(2);
  expect(lines.join('')).not.toContain('s3');
  expect(lines.join('')).toContain('[redacted]');
});
