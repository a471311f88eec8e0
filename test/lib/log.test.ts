import { describe, expect, it } from 'vitest';
import { createLog, type LogOptions, lineForPeople } from '../../src/lib/log.js';

function written(options: LogOptions = {}) {
  const lines: string[] = [];
  const log = createLog({ ...options, destination: { write: (line) => void lines.push(line) } });
  return { log, lines };
}

describe('createLog', () => {
  it('writes one JSON object a line', () => {
    const { log, lines } = written();
    log.info({ url: 'http://localhost:3000' }, 'listening');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/\}\n$/);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      msg: 'listening',
      url: 'http://localhost:3000',
    });
  });

  it('leaves out what is below its level', () => {
    const { log, lines } = written({ level: 'warn' });
    log.info('one');
    log.warn('two');
    expect(lines.join('')).toMatch(/two/);
    expect(lines.join('')).not.toMatch(/one/);
  });

  it('writes secrets nowhere', () => {
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

  it('writes for people when asked', async () => {
    const { log, lines } = written({ rewritten: await lineForPeople() });
    log.info({ secret: 's3' }, 'listening');
    expect(lines.join('')).toMatch(/INFO.*listening/);
    expect(lines.join('')).not.toContain('s3');
  });
});
