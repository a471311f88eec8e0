import { expect, test } from 'vitest';
import { expandUriTemplate, isExcessiveTemplate, templateVariables } from '../../src/lib/uri-template.js';

const VALUES = {
  dub: 'me/too',
  hello: 'Hello World!',
  half: '50%',
  var: 'value',
  who: 'fred',
  base: 'http://example.com/home/',
  path: '/foo/bar',
  v: '6',
  x: '1024',
  y: '768',
  empty: '',
};

// The examples of RFC 6570, sections 3.2.1 to 3.2.9, of texts.
test.each([
  ['{var}', 'value'],
  ['{hello}', 'Hello%20World%21'],
  ['{half}', '50%25'],
  ['O{empty}X', 'OX'],
  ['O{undef}X', 'OX'],
  ['?{x,empty}', '?1024,'],
  ['?{x,undef}', '?1024'],
  ['{var:30}', 'value'],
  ['{var*}', 'value'],
  ['{/var*,path:4}', '/value/%2Ffoo'],
  ['{+half}', '50%25'],
  ['{base}index', 'http%3A%2F%2Fexample.com%2Fhome%2Findex'],
  ['{+base}index', 'http://example.com/home/index'],
  ['here?ref={+path}', 'here?ref=/foo/bar'],
  ['{+path:6}/here', '/foo/b/here'],
  ['{#x,hello,y}', '#1024,Hello%20World!,768'],
  ['{#path,x}/here', '#/foo/bar,1024/here'],
  ['X{.var:3}', 'X.val'],
  ['{/var,undef}', '/value'],
  ['{;x,y,empty}', ';x=1024;y=768;empty'],
  ['{?x,y,empty}', '?x=1024&y=768&empty='],
  ['?fixed=yes{&x}', '?fixed=yes&x=1024'],
  ['{toString}', ''],
  ['a{b', 'a{b'],
])('%s', (template, expanded) => {
  expect(expandUriTemplate(template, VALUES)).toBe(expanded);
});

test('values that are no text of Unicode are written all the same', () => {
  expect(expandUriTemplate('{a}', { a: 'x\ud800' })).toBe('x%EF%BF%BD');
});

test('the variables of a template', () => {
  expect(templateVariables('{/a,b*}x{?c:3}')).toEqual(['a', 'b', 'c']);
});

test('nothing is expanded to more than 8,000 characters', () => {
  expect(expandUriTemplate('{+a}', { a: 'x'.repeat(8000) })).toHaveLength(8000);
  expect(expandUriTemplate('{+a}/', { a: 'x'.repeat(8000) })).toBeUndefined();
  // Each takes three characters when it is encoded.
  expect(expandUriTemplate('{a}', { a: '/'.repeat(2667) })).toBeUndefined();
  expect(expandUriTemplate('{a}'.repeat(500_000), { a: 'x'.repeat(5000) })).toBeUndefined();
});

test.each([
  ['16 variables, each twice', '{?a0,a1,a2,a3,a4,a5,a6,a7,a8,a9,b0,b1,b2,b3,b4,b5}'.repeat(2), false],
  ['17 variables', '{?a0,a1,a2,a3,a4,a5,a6,a7,a8,a9,b0,b1,b2,b3,b4,b5,b6}', true],
  ['one of them three times', '{x}{+x:3}{?x*}', true],
  ['none', 'https://app.example/', false],
])('a template that names %s is beyond the bounds: %#', (_, template, isExcessive) => {
  expect(isExcessiveTemplate(template)).toBe(isExcessive);
});
