import { expect, test } from 'vitest';
import { applicationLink } from '../../src/component/application-link.js';

const mapping = [{ variable: 'r', property: 'https://www.w3.org/ns/ac#open' }];
const link = (
  template: string,
  application = 'https://app.example/#i',
  resource = 'https://data.example/a b',
) => applicationLink(application, { template, mapping }, resource);

test.each([
  // As section 1.4 of the draft has it: https://app.example/ with #open={open}.
  ['#open={r}', 'https://app.example/#open=https%3A%2F%2Fdata.example%2Fa%20b'],
  ['view{?r}', 'https://app.example/view?r=https%3A%2F%2Fdata.example%2Fa%20b'],
  ['https://other.example/{r}', 'https://other.example/https%3A%2F%2Fdata.example%2Fa%20b'],
])('%s', (template, expected) => {
  expect(link(template)).toBe(expected);
});

test('a variable is resolved by its property and not by its name', () => {
  expect(link('#open={open}')).toBeUndefined();
  const open = [{ variable: 'open', property: 'https://app.example/ns#open' }];
  const other = { template: '#{open}', mapping: open };
  expect(applicationLink('https://app.example/', other, 'x')).toBeUndefined();
});

test.each([
  ['javascript:alert({r})', 'https://app.example/'],
  ['data:text/html,{r}', 'https://app.example/'],
  ['#{r}', 'urn:app'],
  ['https://{r}', 'https://app.example/'],
  // Nodes of other makes may have stored a template beyond the bounds.
  ['#{r}{r}{r}', 'https://app.example/'],
])('makes no link: %s on %s', (template, application) => {
  expect(link(template, application)).toBeUndefined();
});
