import { expect, test } from 'vitest';
import { problemPage } from '../../src/pages/shell/problem-page.js';

test('a page that cannot be made says that the node is starting only where it is', () => {
  const away = { baseUrl: 'http://n.example', version: '1', health: 'serving' } as const;
  const problem = { status: 503, title: 'Service Unavailable', detail: 'The database does not answer' };
  expect(problemPage(away, problem)).toContain('<h1>This cannot be shown just now</h1>');
  expect(problemPage({ ...away, health: 'loading' }, problem)).toContain('<h1>This node is starting</h1>');
});
