import { expect, it } from 'vitest';
import { auditIn } from '../../src/lib/audit.js';

it('a deed is a line of the log that names the node, with the first few of its subjects', () => {
  const lines: [object, string][] = [];
  const log = { info: (fields: object, message: string) => void lines.push([fields, message]) };
  const subjects = ['x'.repeat(400), ...Array.from({ length: 9 }, (_, i) => `https://c.example/${i}`)];
  auditIn(log, '127.0.0.1:3000')({ who: 'operator', what: 'posted 10 components', subjects });
  const named = ['x'.repeat(300), ...subjects.slice(1, 5)];
  const deed = { who: 'operator', what: 'posted 10 components', subjects: named };
  expect(lines).toEqual([[{ audit: true, node: '127.0.0.1:3000', ...deed }, 'audit']]);
});
