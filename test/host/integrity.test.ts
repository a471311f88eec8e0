import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { integrityText } from '../../src/component/integrity.js';
import { readIntegrity, verify } from '../../src/host/integrity.js';

const bytes = new TextEncoder().encode('export default class extends HTMLElement {}');
const digest = (name: string, of: Uint8Array = bytes) =>
  `${name}-${createHash(name).update(of).digest('base64')}`;
const other = new TextEncoder().encode('other');

describe('integrity metadata (Subresource Integrity)', () => {
  test.each([
    ['one digest', digest('sha384')],
    ['each algorithm', digest('sha256')],
    ['each algorithm', digest('sha512')],
    ['options, which are ignored', `${digest('sha384')}?ct=text/javascript`],
    ['one of several of the same strength', `${digest('sha384', other)} ${digest('sha384')}`],
    ['the strongest, whatever the weaker ones are', `${digest('sha256', other)}\n${digest('sha512')}`],
    ['what browsers do not know beside what they do', `md5-abc ${digest('sha256')} sha999-x`],
  ])('is met by %s', async (_what, text) => {
    await verify(bytes, readIntegrity(text), 'https://c.example/a.js');
  });

  test('is not met when only a weaker digest is right, and the message says both hashes', async () => {
    const promised = readIntegrity(`${digest('sha256')} ${digest('sha512', other)}`);
    await expect(verify(bytes, promised, 'https://c.example/a.js')).rejects.toMatchObject({
      reason: 'integrity',
      message: `https://c.example/a.js is not the module that was promised: it is ${digest('sha512')}, promised was ${digest('sha512', other)}`,
    });
  });

  test.each([
    ...['', 'sha384-', 'sha384-abc', 'sha1-abc', 'sha384 x'],
    ...[`sha384-${'A'.repeat(63)}!`, 'a'.repeat(10_000)],
  ])('is not %j', (text) => {
    expect(() => readIntegrity(text)).toThrow(/is no integrity; one looks like sha384-<base64>/);
  });

  test('is the same text for what asks for the same', () => {
    const [one, two] = [digest('sha384'), digest('sha384', other)];
    const text = (value: string) => integrityText(readIntegrity(value));
    expect(text(`${one} ${two}`)).toBe(text(` ${two}\t${one} ${one} ${digest('sha256')}`));
    expect(text(one)).not.toBe(text(two));
  });
});
